import { defineCheck } from '../../engine/check.js';
import { containsAll, not } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EKS-004',
  title: 'EKS control plane logging is incomplete',
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
  remediation:
    'Set enabled_cluster_log_types to include "api", "audit", "authenticator", "controllerManager", "scheduler".',
  failing: [{}, { enabled_cluster_log_types: ['api'] }],
  passing: [
    { enabled_cluster_log_types: ['api', 'audit', 'authenticator', 'controllerManager', 'scheduler'] },
  ],
});
