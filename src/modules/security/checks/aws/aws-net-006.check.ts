import { defineCheck } from '../../engine/check.js';
import { all, eqi, isIn, notTrue, world } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NET-006',
  title: 'Network ACL rule must not admit all protocols from every address',
  severity: 'critical',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_AWS_352'],
  types: ['aws_network_acl_rule'],
  fail: all(
    notTrue('egress'),
    eqi('rule_action', 'allow'),
    isIn('protocol', ['-1', 'all', -1]),
    world('cidr_block', 'ipv6_cidr_block'),
  ),
  remediation:
    'Narrow cidr_block or ipv6_cidr_block of the rule to a known network, or set protocol and ports.',
  failing: [
    { rule_action: 'allow', protocol: '-1', cidr_block: '0.0.0.0/0' },
    { rule_action: 'allow', protocol: '-1', ipv6_cidr_block: '::/0' },
  ],
  passing: [
    { egress: true, rule_action: 'allow', protocol: '-1', cidr_block: '0.0.0.0/0' },
    { egress: true, rule_action: 'allow', protocol: '-1', ipv6_cidr_block: '::/0' },
  ],
});
