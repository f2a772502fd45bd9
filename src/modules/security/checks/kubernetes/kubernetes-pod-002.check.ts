import { defineCheck } from '../../engine/check.js';
import { isTrue, podContainers } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-002',
  title: 'Container must not allow privilege escalation',
  severity: 'medium',
  category: 'hardening',
  aliases: [],
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
  fail: podContainers(isTrue('security_context.0.allow_privilege_escalation')),
  remediation: 'Set allow_privilege_escalation = false in security_context of the container.',
  failing: [{ spec: [{ container: [{ security_context: [{ allow_privilege_escalation: true }] }] }] }],
  passing: [
    { spec: [{ container: [{}] }] },
    { spec: [{ container: [{ security_context: [{ allow_privilege_escalation: false }] }] }] },
  ],
});
