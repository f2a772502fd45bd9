import { defineCheck } from '../../engine/check.js';
import { imageWithoutTag, podContainers } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-POD-007',
  title: 'Container image must have a fixed tag or digest',
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
  remediation: 'Set image to a name with a tag other than latest, or with a digest.',
  failing: [
    { spec: [{ container: [{ image: 'nginx' }] }] },
    { spec: [{ container: [{ image: 'nginx:latest' }] }] },
  ],
  passing: [{ spec: [{ container: [{ image: 'nginx:1.27' }] }] }],
});
