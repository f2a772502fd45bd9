import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NET-008',
  title: 'Security group has no description',
  severity: 'low',
  category: 'hygiene',
  aliases: ['AVD-AWS-0099', 'CKV_AWS_23'],
  types: ['aws_security_group', 'aws_elasticache_security_group'],
  fail: isIn('description', ['', 'Managed by Terraform', null]),
  remediation: 'Set description to another value than "Managed by Terraform".',
  failing: [{}, { description: 'Managed by Terraform' }],
  passing: [{ description: 'other' }],
});
