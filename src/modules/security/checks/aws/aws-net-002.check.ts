import { defineCheck, example } from '../../engine/check.js';
import { all, any, coversPorts, eq, ofType, some, world } from '../../engine/condition.js';

const RULE = { from: 'from_port', to: 'to_port', protocol: 'protocol' };
const VPC_RULE = { ...RULE, protocol: 'ip_protocol' };
const fromTheWorld = all(world('cidr_blocks', 'ipv6_cidr_blocks'), coversPorts([3389], RULE));

export default defineCheck({
  id: 'AWS-NET-002',
  title: 'Security group must not admit RDP from every address',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  cis: '5.2',
  aliases: ['CKV_AWS_25'],
  types: [
    ...['aws_security_group', 'aws_default_security_group', 'aws_security_group_rule'],
    'aws_vpc_security_group_ingress_rule',
  ],
  fail: any(
    some('ingress', fromTheWorld),
    all(ofType('aws_security_group_rule'), eq('type', 'ingress'), fromTheWorld),
    all(
      ofType('aws_vpc_security_group_ingress_rule'),
      world('cidr_ipv4', 'cidr_ipv6'),
      coversPorts([3389], VPC_RULE),
    ),
  ),
  remediation:
    'Narrow cidr_blocks and ipv6_cidr_blocks (cidr_ipv4 and cidr_ipv6) of the rule to known networks.',
  failing: [
    { ingress: [{ protocol: 'tcp', from_port: '3389', to_port: '3389', cidr_blocks: ['0.0.0.0/0'] }] },
    { ingress: [{ protocol: '-1', from_port: 0, to_port: 0, ipv6_cidr_blocks: ['::/0'] }] },
    example({
      type: 'aws_security_group_rule',
      attributes: {
        type: 'ingress',
        protocol: 'tcp',
        from_port: 3387,
        to_port: 3391,
        cidr_blocks: ['0.0.0.0/0'],
      },
    }),
    example({
      type: 'aws_vpc_security_group_ingress_rule',
      attributes: { ip_protocol: 'tcp', from_port: 3389, to_port: 3389, cidr_ipv4: '0.0.0.0/0' },
    }),
  ],
  passing: [
    {},
    { ingress: [{ protocol: 'tcp', from_port: 443, to_port: 443, cidr_blocks: ['0.0.0.0/0'] }] },
    { ingress: [{ protocol: 'tcp', from_port: 3389, to_port: 3389, cidr_blocks: ['10.0.0.0/8'] }] },
    { ingress: [{ protocol: 'icmp', from_port: -1, to_port: -1, cidr_blocks: ['0.0.0.0/0'] }] },
    example({
      type: 'aws_security_group_rule',
      attributes: { type: 'egress', protocol: '-1', from_port: 0, to_port: 0, cidr_blocks: ['0.0.0.0/0'] },
    }),
  ],
});
