import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RDS-009',
  title: 'RDS instance must be deployed in several availability zones',
  severity: 'low',
  category: 'resilience',
  aliases: ['CKV_AWS_157'],
  types: ['aws_db_instance'],
  fail: notTrue('multi_az'),
  remediation: 'Set multi_az = true.',
  failing: [{}, { multi_az: false }],
  passing: [{ multi_az: true }],
});
