import { defineCheck } from '../../engine/check.js';
import { any, notEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NET-009',
  title: 'Default security group must not have rules',
  severity: 'medium',
  category: 'network-exposure',
  cis: '5.4',
  aliases: ['AVD-AWS-0173'],
  types: ['aws_default_security_group'],
  fail: any(notEmpty('ingress'), notEmpty('egress')),
  remediation: 'Remove all ingress and egress blocks and put the rules into a group of your own.',
  failing: [{ ingress: [{}] }, { ingress: [{ protocol: '-1', self: true }] }],
  passing: [{}],
});
