import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-DDB-001',
  title: 'DynamoDB point in time recovery is disabled',
  severity: 'medium',
  category: 'resilience',
  aliases: ['AVD-AWS-0024', 'CKV_AWS_28'],
  types: ['aws_dynamodb_table'],
  fail: notTrue('point_in_time_recovery.0.enabled'),
  remediation: 'Set point_in_time_recovery.enabled = true.',
  failing: [{}, { point_in_time_recovery: [{ enabled: false }] }],
  passing: [{ point_in_time_recovery: [{ enabled: true }] }],
});
