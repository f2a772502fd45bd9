import { defineCheck } from '../../engine/check.js';
import { all, isEmpty, podContainers } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-011',
  title: 'Container must have a memory limit',
  severity: 'low',
  category: 'resilience',
  aliases: ['CKV_K8S_12'],
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
  fail: podContainers(all(isEmpty('resources.0.limits.memory'), isEmpty('resources.0.limits.0.memory'))),
  remediation: 'Set memory in limits of the resources of the container.',
  failing: [{ spec: [{ container: [{}] }] }],
  passing: [
    { spec: [{ container: [{ resources: [{ limits: { memory: [{}] } }] }] }] },
    { spec: [{ container: [{ resources: [{ limits: { memory: '256Mi' } }] }] }] },
  ],
});
