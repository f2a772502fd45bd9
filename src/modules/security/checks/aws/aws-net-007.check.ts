import { defineCheck, example } from '../../engine/check.js';
import { all, any, coversPorts, eqi, notTrue, ofType, some, world } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NET-007',
  title: 'Network ACL must not admit SSH or RDP from every address',
  severity: 'medium',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AWS-0105', 'CKV_AWS_232', 'CKV_AWS_231'],
  types: ['aws_network_acl', 'aws_network_acl_rule'],
  fail: any(
    some(
      'ingress',
      all(
        eqi('action', 'allow'),
        world('cidr_block', 'ipv6_cidr_block'),
        coversPorts([22, 3389], { from: 'from_port', to: 'to_port', protocol: 'protocol' }),
      ),
    ),
    all(
      ofType('aws_network_acl_rule'),
      notTrue('egress'),
      eqi('rule_action', 'allow'),
      world('cidr_block', 'ipv6_cidr_block'),
      coversPorts([22, 3389], { from: 'from_port', to: 'to_port', protocol: 'protocol' }),
    ),
  ),
  remediation: 'Narrow cidr_block or ipv6_cidr_block of the ingress rule to a known network.',
  failing: [
    { ingress: [{ action: 'allow', cidr_block: '0.0.0.0/0', from_port: 22, to_port: 22, protocol: 'tcp' }] },
    { ingress: [{ action: 'allow', ipv6_cidr_block: '::/0', from_port: 22, to_port: 22, protocol: 'tcp' }] },
    example({
      type: 'aws_network_acl_rule',
      attributes: {
        rule_action: 'allow',
        cidr_block: '0.0.0.0/0',
        from_port: 22,
        to_port: 22,
        protocol: 'tcp',
      },
    }),
  ],
  passing: [
    { rule_action: 'allow', cidr_block: '0.0.0.0/0', from_port: 22, to_port: 22, protocol: 'tcp' },
    { rule_action: 'allow', cidr_block: '0.0.0.0/0' },
    example({
      type: 'aws_network_acl_rule',
      attributes: {
        egress: true,
        rule_action: 'allow',
        cidr_block: '0.0.0.0/0',
        from_port: 22,
        to_port: 22,
        protocol: 'tcp',
      },
    }),
  ],
});
