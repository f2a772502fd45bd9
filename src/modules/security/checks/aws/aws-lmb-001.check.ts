import { defineCheck } from '../../engine/check.js';
import { notIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LMB-001',
  title: 'Lambda function must have X-Ray tracing enabled',
  severity: 'low',
  category: 'logging',
  aliases: ['CKV_AWS_50'],
  types: ['aws_lambda_function'],
  fail: notIn('tracing_config.0.mode', ['Active', 'PassThrough']),
  remediation: 'Set mode = "Active" or "PassThrough" in tracing_config.',
  failing: [{}, { tracing_config: [{ mode: 'Passive' }] }],
  passing: [{ tracing_config: [{ mode: 'Active' }] }, { tracing_config: [{ mode: 'PassThrough' }] }],
});
