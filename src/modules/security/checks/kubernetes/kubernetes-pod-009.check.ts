import { defineCheck } from '../../engine/check.js';
import { eq, podSpec, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-009',
  title: 'Pod must not mount the socket of the container runtime',
  severity: 'high',
  category: 'hardening',
  aliases: ['CKV_K8S_27'],
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
  fail: podSpec(some('volume', eq('host_path.0.path', '/var/run/docker.sock'))),
  remediation: 'Remove the volume whose host_path has path = "/var/run/docker.sock".',
  failing: [{ spec: [{ volume: [{ host_path: [{ path: '/var/run/docker.sock' }] }] }] }],
  passing: [{ spec: [{}] }, { spec: [{ volume: [{}] }] }],
});
