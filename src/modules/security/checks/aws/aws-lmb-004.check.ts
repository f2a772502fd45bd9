import { defineCheck } from '../../engine/check.js';
import { eq } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LMB-004',
  title: 'Lambda function URL must require authorization',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_AWS_258'],
  types: ['aws_lambda_function_url'],
  fail: eq('authorization_type', 'NONE'),
  remediation: 'Set authorization_type = "AWS_IAM".',
  failing: [{ authorization_type: 'NONE' }],
  passing: [{}, { authorization_type: 'AWS_IAM' }],
});
