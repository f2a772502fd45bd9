import { defineCheck } from '../../engine/check.js';
import { any, contains, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-RBAC-001',
  title: 'Role must not use wildcards',
  severity: 'high',
  category: 'identity',
  aliases: ['CKV_K8S_49'],
  types: ['kubernetes_role', 'kubernetes_role_v1', 'kubernetes_cluster_role', 'kubernetes_cluster_role_v1'],
  fail: some('rule', any(contains('verbs', '*'), contains('resources', '*'), contains('api_groups', '*'))),
  remediation: 'Replace "*" in api_groups, resources and verbs of each rule by the needed names.',
  failing: [{ rule: [{ verbs: ['*'] }] }, { rule: [{ verbs: '*' }] }],
  passing: [{}, { rule: [{}] }],
});
