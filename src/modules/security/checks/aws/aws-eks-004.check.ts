import { defineCheck } from '../../engine/check.js';
import { containsAll, not } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EKS-004',
  title: 'EKS cluster must log all control plane components',
  severity: 'medium',
  category: 'logging',
  aliases: ['AVD-AWS-0038', 'CKV_AWS_37'],
  types: ['aws_eks_cluster'],
  fail: not(
    containsAll('enabled_cluster_log_types', [
      'api',
      'audit',
      'authenticator',
      'controllerManager',
      'scheduler',
    ]),
  ),
  remediation: 'Set enabled_cluster_log_types to api, audit, authenticator, controllerManager and scheduler.',
  failing: [{}, { enabled_cluster_log_types: ['api'] }],
  passing: [
    { enabled_cluster_log_types: ['api', 'audit', 'authenticator', 'controllerManager', 'scheduler'] },
  ],
});
