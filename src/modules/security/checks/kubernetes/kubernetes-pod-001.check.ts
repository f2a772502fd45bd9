import { defineCheck, example } from '../../engine/check.js';
import { isTrue, podContainers } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-001',
  title: 'Container must not run in privileged mode',
  severity: 'high',
  category: 'hardening',
  aliases: ['CKV_K8S_16'],
  types: [
    ...['kubernetes_pod', 'kubernetes_pod_v1', 'kubernetes_deployment', 'kubernetes_deployment_v1'],
    ...[
      'kubernetes_daemonset',
      'kubernetes_daemon_set_v1',
      'kubernetes_stateful_set',
      'kubernetes_stateful_set_v1',
    ],
    ...['kubernetes_job', 'kubernetes_job_v1', 'kubernetes_cron_job', 'kubernetes_cron_job_v1'],
  ],
  fail: podContainers(isTrue('security_context.0.privileged')),
  remediation: 'Set privileged = false in security_context of the container.',
  failing: [
    { spec: [{ container: [{}, { security_context: [{ privileged: true }] }] }] },
    example({
      type: 'kubernetes_deployment',
      attributes: {
        spec: [{ template: [{ spec: [{ container: [{ security_context: [{ privileged: true }] }] }] }] }],
      },
    }),
  ],
  passing: [{}, { spec: [{ container: [{ security_context: [{ privileged: false }] }] }] }],
});
