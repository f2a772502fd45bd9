import { defineCheck } from '../../engine/check.js';
import { all, any, atLeast, eq, isIn, some, world } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NET-004',
  title: 'Security group must not admit all traffic from every address',
  severity: 'critical',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_AWS_277'],
  types: ['aws_security_group'],
  fail: some(
    'ingress',
    all(
      world('cidr_blocks', 'ipv6_cidr_blocks'),
      any(isIn('protocol', ['-1', 'all']), all(eq('from_port', 0), atLeast('to_port', 65535))),
    ),
  ),
  remediation:
    'Narrow cidr_blocks and ipv6_cidr_blocks of the ingress rule to known networks, or name the ports that are needed.',
  failing: [
    { ingress: [{ cidr_blocks: ['0.0.0.0/0'], protocol: '-1' }] },
    { ingress: [{ cidr_blocks: ['0.0.0.0/0'], protocol: 'all' }] },
  ],
  passing: [{}, { ingress: [{ cidr_blocks: ['10.0.0.0/8'], protocol: '-1' }] }],
});
