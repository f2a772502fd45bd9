import { defineCheck } from '../../engine/check.js';
import { contains, podContainers } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-008',
  title: 'Container must not have the SYS_ADMIN capability',
  severity: 'high',
  category: 'hardening',
  aliases: ['CKV_K8S_39'],
  types: [
    'kubernetes_pod',
    'kubernetes_pod_v1',
    'kubernetes_deployment',
    'kubernetes_deployment_v1',
    'kubernetes_daemonset',
    'kubernetes_daemon_set_v1',
    'kubernetes_stateful_set',
    'kubernetes_stateful_set_v1',
    'kubernetes_job',
    'kubernetes_job_v1',
    'kubernetes_cron_job',
    'kubernetes_cron_job_v1',
  ],
  fail: podContainers(contains('security_context.0.capabilities.0.add', 'SYS_ADMIN')),
  remediation: 'Remove "SYS_ADMIN" from add in security_context.capabilities of the container.',
  failing: [
    { spec: [{ container: [{ security_context: [{ capabilities: [{ add: ['SYS_ADMIN'] }] }] }] }] },
    { spec: [{ container: [{ security_context: [{ capabilities: [{ add: 'SYS_ADMIN' }] }] }] }] },
  ],
  passing: [
    { spec: [{ container: [{}] }] },
    { spec: [{ container: [{ security_context: [{ capabilities: [{ add: ['other'] }] }] }] }] },
  ],
});
