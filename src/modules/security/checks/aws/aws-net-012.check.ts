import { defineCheck, example } from '../../engine/check.js';
import { ofType } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NET-012',
  title: 'Default VPC is managed and in use',
  severity: 'high',
  category: 'network-exposure',
  aliases: ['AVD-AWS-0101', 'CKV_AWS_148'],
  types: ['aws_default_vpc'],
  fail: ofType('aws_default_vpc'),
  remediation: 'Remove the aws_default_vpc resource and use a resource of your own instead.',
  failing: [{}],
  passing: [example({ type: 'aws_vpc', attributes: {} })],
});
