import { defineCheck } from '../../engine/check.js';
import { all, isEmpty, matches } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LMB-003',
  title: 'Lambda permission for a service has no source restriction',
  severity: 'critical',
  category: 'public-access',
  aliases: ['AVD-AWS-0067'],
  types: ['aws_lambda_permission'],
  fail: all(matches('principal', '\\.amazonaws\\.com$'), isEmpty('source_arn')),
  remediation: 'Set source_arn.',
  failing: [{ principal: 's3.amazonaws.com' }],
  passing: [{}, { principal: 'other' }],
});
