import { defineCheck } from '../../engine/check.js';
import { imageWithoutTag, podContainers } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-007',
  title: 'Container image tag is latest or missing',
  severity: 'medium',
  category: 'hygiene',
  aliases: ['CKV_K8S_14'],
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
  fail: podContainers(imageWithoutTag('image')),
  remediation: 'Set image with a fixed tag or digest in the container.',
  failing: [
    { spec: [{ container: [{ image: 'nginx' }] }] },
    { spec: [{ container: [{ image: 'nginx:latest' }] }] },
  ],
  passing: [{ spec: [{ container: [{ image: 'nginx:1.27' }] }] }],
});
