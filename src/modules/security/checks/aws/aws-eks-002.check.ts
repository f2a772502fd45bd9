import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EKS-002',
  title: 'EKS public endpoint is enabled',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AWS-0040', 'CKV_AWS_39'],
  types: ['aws_eks_cluster'],
  fail: notFalse('vpc_config.0.endpoint_public_access'),
  remediation: 'Set vpc_config.endpoint_public_access = false.',
  failing: [{}, { vpc_config: [{ endpoint_public_access: true }] }],
  passing: [{ vpc_config: [{ endpoint_public_access: false }] }],
});
