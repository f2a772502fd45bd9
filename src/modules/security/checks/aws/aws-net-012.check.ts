import { defineCheck, example } from '../../engine/check.js';
import { ofType } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NET-012',
  title: 'Default VPC must not be used',
  severity: 'high',
  category: 'network-exposure',
  aliases: ['AVD-AWS-0101', 'CKV_AWS_148'],
  types: ['aws_default_vpc'],
  fail: ofType('aws_default_vpc'),
  remediation: 'Remove the aws_default_vpc and place resources in an aws_vpc of your own.',
  failing: [{}],
  passing: [example({ type: 'aws_vpc', attributes: {} })],
});
