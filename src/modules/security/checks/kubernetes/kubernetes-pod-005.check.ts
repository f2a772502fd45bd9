import { defineCheck } from '../../engine/check.js';
import { isTrue, podSpec } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-005',
  title: 'Pod must not share the IPC namespace of the host',
  severity: 'high',
  category: 'hardening',
  aliases: ['CKV_K8S_18'],
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
  fail: podSpec(isTrue('host_ipc')),
  remediation: 'Set host_ipc = false in the pod specification.',
  failing: [{ spec: [{ host_ipc: true }] }],
  passing: [{ spec: [{}] }, { spec: [{ host_ipc: false }] }],
});
