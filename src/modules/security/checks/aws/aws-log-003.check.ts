import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LOG-003',
  title: 'CloudTrail trail must cover all regions',
  severity: 'medium',
  category: 'logging',
  cis: '3.1',
  aliases: ['AVD-AWS-0014', 'CKV_AWS_67'],
  types: ['aws_cloudtrail'],
  fail: notTrue('is_multi_region_trail'),
  remediation: 'Set is_multi_region_trail = true.',
  failing: [{}, { is_multi_region_trail: false }],
  passing: [{ is_multi_region_trail: true }],
});
