import { defineCheck } from '../../engine/check.js';
import { all, coversPorts, some, world } from '../../engine/condition.js';

const RULE = { from: 'from_port', to: 'to_port', protocol: 'protocol' };

export default defineCheck({
  id: 'AWS-NET-001',
  title: 'Security group must not admit SSH or RDP from the whole internet',
  severity: 'critical',
  category: 'network-exposure',
  exposure: true,
  cis: '5.2',
  aliases: [],
  types: ['aws_security_group', 'aws_default_security_group'],
  fail: some('ingress', all(world('cidr_blocks', 'ipv6_cidr_blocks'), coversPorts([22, 3389], RULE))),
  remediation: 'Narrow cidr_blocks and ipv6_cidr_blocks of the ingress rule to known networks.',
  failing: [
    { ingress: [{ protocol: 'tcp', from_port: '22', to_port: '22', cidr_blocks: ['0.0.0.0/0'] }] },
    { ingress: [{ protocol: '-1', from_port: 0, to_port: 0, ipv6_cidr_blocks: ['::/0'] }] },
  ],
  passing: [
    {},
    { ingress: [{ protocol: 'tcp', from_port: 443, to_port: 443, cidr_blocks: ['0.0.0.0/0'] }] },
    { ingress: [{ protocol: 'tcp', from_port: 22, to_port: 22, cidr_blocks: ['10.0.0.0/8'] }] },
    { ingress: [{ protocol: 'icmp', from_port: -1, to_port: -1, cidr_blocks: ['0.0.0.0/0'] }] },
  ],
});
