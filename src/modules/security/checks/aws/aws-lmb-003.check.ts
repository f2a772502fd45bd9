import { defineCheck } from '../../engine/check.js';
import { all, isEmpty, matches } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LMB-003',
  title: 'Lambda permission of a service must name its source',
  severity: 'critical',
  category: 'public-access',
  aliases: ['AVD-AWS-0067'],
  types: ['aws_lambda_permission'],
  fail: all(matches('principal', '\\.amazonaws\\.com$'), isEmpty('source_arn')),
  remediation: 'Set source_arn to the ARN of the resource that may invoke the function.',
  failing: [{ principal: 's3.amazonaws.com' }],
  passing: [{}, { principal: '111122223333' }],
});
