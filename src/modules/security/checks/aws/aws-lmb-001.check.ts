import { defineCheck } from '../../engine/check.js';
import { notIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LMB-001',
  title: 'Lambda tracing is disabled',
  severity: 'low',
  category: 'logging',
  aliases: ['CKV_AWS_50'],
  types: ['aws_lambda_function'],
  fail: notIn('tracing_config.0.mode', ['Active', 'PassThrough']),
  remediation: 'Set tracing_config.mode to "Active" or "PassThrough".',
  failing: [{}, { tracing_config: [{ mode: 'other' }] }],
  passing: [{ tracing_config: [{ mode: 'Active' }] }, { tracing_config: [{ mode: 'PassThrough' }] }],
});
