import { defineCheck } from '../../engine/check.js';
import { ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-SEC-002',
  title: 'SSM parameter must be a SecureString',
  severity: 'medium',
  category: 'secrets',
  aliases: ['CKV2_AWS_34'],
  types: ['aws_ssm_parameter'],
  fail: ne('type', 'SecureString'),
  remediation: 'Set type = "SecureString".',
  failing: [{}, { type: 'String' }],
  passing: [{ type: 'SecureString' }],
});
