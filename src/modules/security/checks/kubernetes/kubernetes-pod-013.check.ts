import { defineCheck } from '../../engine/check.js';
import { all, isEmpty, podContainers } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-013',
  title: 'Container must have a memory request',
  severity: 'low',
  category: 'resilience',
  aliases: ['CKV_K8S_13'],
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
  fail: podContainers(all(isEmpty('resources.0.requests.memory'), isEmpty('resources.0.requests.0.memory'))),
  remediation: 'Set memory in requests of the resources of the container.',
  failing: [{ spec: [{ container: [{}] }] }],
  passing: [
    { spec: [{ container: [{ resources: [{ requests: { memory: [{}] } }] }] }] },
    { spec: [{ container: [{ resources: [{ requests: { memory: '256Mi' } }] }] }] },
  ],
});
