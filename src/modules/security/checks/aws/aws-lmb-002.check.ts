import { defineCheck } from '../../engine/check.js';
import { eq } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LMB-002',
  title: 'Lambda permission allows any principal',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: ['CKV_AWS_301'],
  types: ['aws_lambda_permission'],
  fail: eq('principal', '*'),
  remediation: 'Change principal from "*".',
  failing: [{ principal: '*' }],
  passing: [{}, { principal: 'other' }],
});
