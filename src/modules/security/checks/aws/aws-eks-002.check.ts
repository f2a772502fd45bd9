import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EKS-002',
  title: 'EKS API endpoint must not be public',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AWS-0040', 'CKV_AWS_39'],
  types: ['aws_eks_cluster'],
  fail: notFalse('vpc_config.0.endpoint_public_access'),
  remediation: 'Set endpoint_public_access = false in vpc_config.',
  failing: [{}, { vpc_config: [{ endpoint_public_access: true }] }],
  passing: [{ vpc_config: [{ endpoint_public_access: false }] }],
});
