import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-SNS-001',
  title: 'SNS topic must be encrypted',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0095', 'CKV_AWS_26'],
  types: ['aws_sns_topic'],
  fail: isEmpty('kms_master_key_id'),
  remediation: 'Set kms_master_key_id to a key id or "alias/aws/sns".',
  failing: [{}],
  passing: [{ kms_master_key_id: 'arn:aws:kms:eu-west-1:111122223333:key/1' }],
});
