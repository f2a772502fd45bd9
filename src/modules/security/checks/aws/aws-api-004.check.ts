import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-API-004',
  title: 'API Gateway stage must have X-Ray tracing enabled',
  severity: 'low',
  category: 'logging',
  aliases: ['AVD-AWS-0003', 'CKV_AWS_73'],
  types: ['aws_api_gateway_stage'],
  fail: notTrue('xray_tracing_enabled'),
  remediation: 'Set xray_tracing_enabled = true.',
  failing: [{}, { xray_tracing_enabled: false }],
  passing: [{ xray_tracing_enabled: true }],
});
