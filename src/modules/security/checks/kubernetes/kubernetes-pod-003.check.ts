import { defineCheck } from '../../engine/check.js';
import { isTrue, podSpec } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-003',
  title: 'Pod must not share the network of the host',
  severity: 'high',
  category: 'hardening',
  aliases: ['CKV_K8S_19'],
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
  fail: podSpec(isTrue('host_network')),
  remediation: 'Set host_network = false in the pod specification.',
  failing: [{ spec: [{ host_network: true }] }],
  passing: [{ spec: [{}] }, { spec: [{ host_network: false }] }],
});
