import { defineCheck } from '../../engine/check.js';
import { eq } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LMB-004',
  title: 'Lambda function URL has no authorization',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_AWS_258'],
  types: ['aws_lambda_function_url'],
  fail: eq('authorization_type', 'NONE'),
  remediation: 'Change authorization_type from "NONE".',
  failing: [{ authorization_type: 'NONE' }],
  passing: [{}, { authorization_type: 'other' }],
});
