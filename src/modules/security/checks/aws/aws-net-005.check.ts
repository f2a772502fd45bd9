import { defineCheck, example } from '../../engine/check.js';
import { all, any, eq, ofType, some, world } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NET-005',
  title: 'Security group must not allow egress to every address',
  severity: 'low',
  category: 'network-exposure',
  aliases: ['AVD-AWS-0104', 'CKV_AWS_382'],
  types: ['aws_security_group', 'aws_security_group_rule', 'aws_vpc_security_group_egress_rule'],
  fail: any(
    some('egress', world('cidr_blocks', 'ipv6_cidr_blocks')),
    all(eq('type', 'egress'), world('cidr_blocks', 'ipv6_cidr_blocks')),
    all(ofType('aws_vpc_security_group_egress_rule'), world('cidr_ipv4', 'cidr_ipv6')),
  ),
  remediation:
    'Narrow cidr_blocks and ipv6_cidr_blocks (cidr_ipv4 and cidr_ipv6) of the egress rule to known networks.',
  failing: [
    { egress: [{ cidr_blocks: ['0.0.0.0/0'] }] },
    { egress: [{ ipv6_cidr_blocks: ['::/0'] }] },
    example({ type: 'aws_vpc_security_group_egress_rule', attributes: { cidr_ipv4: '0.0.0.0/0' } }),
  ],
  passing: [
    { cidr_blocks: ['0.0.0.0/0'], cidr_ipv4: '0.0.0.0/0' },
    { cidr_blocks: ['0.0.0.0/0'], cidr_ipv6: '::/0' },
    example({
      type: 'aws_security_group_rule',
      attributes: { cidr_blocks: ['0.0.0.0/0'], cidr_ipv4: '0.0.0.0/0' },
    }),
    example({
      type: 'aws_vpc_security_group_egress_rule',
      attributes: { cidr_blocks: ['0.0.0.0/0'], cidr_ipv4: '10.0.0.0/8' },
    }),
  ],
});
