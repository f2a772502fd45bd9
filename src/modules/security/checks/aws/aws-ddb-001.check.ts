import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-DDB-001',
  title: 'DynamoDB table must have point-in-time recovery enabled',
  severity: 'medium',
  category: 'resilience',
  aliases: ['AVD-AWS-0024', 'CKV_AWS_28'],
  types: ['aws_dynamodb_table'],
  fail: notTrue('point_in_time_recovery.0.enabled'),
  remediation: 'Set enabled = true in point_in_time_recovery.',
  failing: [{}, { point_in_time_recovery: [{ enabled: false }] }],
  passing: [{ point_in_time_recovery: [{ enabled: true }] }],
});
