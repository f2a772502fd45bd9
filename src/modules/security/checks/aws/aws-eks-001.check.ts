import { defineCheck } from '../../engine/check.js';
import { all, any, isEmpty, notFalse, world } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EKS-001',
  title: 'EKS API endpoint must not be open to every address',
  severity: 'critical',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AWS-0041', 'CKV_AWS_38'],
  types: ['aws_eks_cluster'],
  fail: all(
    notFalse('vpc_config.0.endpoint_public_access'),
    any(isEmpty('vpc_config.0.public_access_cidrs'), world('vpc_config.0.public_access_cidrs')),
  ),
  remediation:
    'Set endpoint_public_access = false in vpc_config, or list known networks in public_access_cidrs.',
  failing: [{}, { vpc_config: [{ public_access_cidrs: ['0.0.0.0/0'] }] }],
  passing: [
    { vpc_config: [{ endpoint_public_access: false }] },
    { vpc_config: [{ endpoint_public_access: false, public_access_cidrs: ['0.0.0.0/0'] }] },
  ],
});
