import { defineCheck } from '../../engine/check.js';
import { isTrue, podSpec } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-004',
  title: 'Pod must not share the process namespace of the host',
  severity: 'high',
  category: 'hardening',
  aliases: ['CKV_K8S_17'],
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
  fail: podSpec(isTrue('host_pid')),
  remediation: 'Set host_pid = false in the pod specification.',
  failing: [{ spec: [{ host_pid: true }] }],
  passing: [{ spec: [{}] }, { spec: [{ host_pid: false }] }],
});
