import { defineCheck } from '../../engine/check.js';
import { notTrue, podContainers } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-010',
  title: 'Container must have a read-only root file system',
  severity: 'low',
  category: 'hardening',
  aliases: ['CKV_K8S_22'],
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
  fail: podContainers(notTrue('security_context.0.read_only_root_filesystem')),
  remediation: 'Set read_only_root_filesystem = true in security_context of the container.',
  failing: [
    { spec: [{ container: [{}] }] },
    { spec: [{ container: [{ security_context: [{ read_only_root_filesystem: false }] }] }] },
  ],
  passing: [{ spec: [{ container: [{ security_context: [{ read_only_root_filesystem: true }] }] }] }],
});
