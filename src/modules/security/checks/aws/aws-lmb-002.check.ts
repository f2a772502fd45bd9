import { defineCheck } from '../../engine/check.js';
import { eq } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LMB-002',
  title: 'Lambda permission must not allow every principal',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: ['CKV_AWS_301'],
  types: ['aws_lambda_permission'],
  fail: eq('principal', '*'),
  remediation: 'Set principal to an account or a service instead of "*".',
  failing: [{ principal: '*' }],
  passing: [{}, { principal: '111122223333' }],
});
