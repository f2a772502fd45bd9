import { defineCheck, example } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NET-008',
  title: 'Security group and its rules must have a description',
  severity: 'low',
  category: 'hygiene',
  aliases: ['AVD-AWS-0099', 'CKV_AWS_23'],
  types: [
    'aws_security_group',
    'aws_elasticache_security_group',
    'aws_security_group_rule',
    'aws_vpc_security_group_ingress_rule',
    'aws_vpc_security_group_egress_rule',
  ],
  fail: isIn('description', ['', 'Managed by Terraform', null]),
  remediation: 'Set description to what the group or rule is for.',
  failing: [
    {},
    { description: 'Managed by Terraform' },
    example({ type: 'aws_security_group_rule', attributes: { type: 'ingress' } }),
  ],
  passing: [{ description: 'Web servers' }],
});
