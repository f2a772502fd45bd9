import { defineCheck } from '../../engine/check.js';
import { all, isEmpty, podContainers } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-012',
  title: 'Container must have a CPU limit',
  severity: 'low',
  category: 'resilience',
  aliases: ['CKV_K8S_11'],
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
  fail: podContainers(all(isEmpty('resources.0.limits.cpu'), isEmpty('resources.0.limits.0.cpu'))),
  remediation: 'Set cpu in limits of the resources of the container.',
  failing: [{ spec: [{ container: [{}] }] }],
  passing: [
    { spec: [{ container: [{ resources: [{ limits: { cpu: [{}] } }] }] }] },
    { spec: [{ container: [{ resources: [{ limits: { cpu: '500m' } }] }] }] },
  ],
});
