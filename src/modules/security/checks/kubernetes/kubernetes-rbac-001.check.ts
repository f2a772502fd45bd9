import { defineCheck } from '../../engine/check.js';
import { any, contains, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-RBAC-001',
  title: 'Role uses wildcards',
  severity: 'high',
  category: 'identity',
  aliases: ['CKV_K8S_49'],
  types: ['kubernetes_role', 'kubernetes_role_v1', 'kubernetes_cluster_role', 'kubernetes_cluster_role_v1'],
  fail: some('rule', any(contains('verbs', '*'), contains('resources', '*'), contains('api_groups', '*'))),
  remediation:
    'Remove "*" from verbs in rule; remove "*" from resources in rule; remove "*" from api_groups in rule.',
  failing: [{ rule: [{ verbs: ['*'] }] }, { rule: [{ verbs: '*' }] }],
  passing: [{}, { rule: [{}] }],
});
