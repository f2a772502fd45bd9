import { defineCheck } from '../../engine/check.js';
import { notEmpty, podContainers, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-006',
  title: 'Container must not use ports of the host',
  severity: 'medium',
  category: 'network-exposure',
  aliases: ['CKV_K8S_26'],
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
  fail: podContainers(some('port', notEmpty('host_port'))),
  remediation: 'Remove host_port from each port block of the container.',
  failing: [
    { spec: [{ container: [{ port: [{ host_port: [{}] }] }] }] },
    { spec: [{ container: [{ port: [{ host_port: '8080' }] }] }] },
  ],
  passing: [{ spec: [{ container: [{}] }] }, { spec: [{ container: [{ port: [{}] }] }] }],
});
