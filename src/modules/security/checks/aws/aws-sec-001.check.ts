import { defineCheck } from '../../engine/check.js';
import { any, isEmpty, matches } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-SEC-001',
  title: 'Secrets Manager secret must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['AVD-AWS-0098', 'CKV_AWS_149'],
  types: ['aws_secretsmanager_secret'],
  fail: any(isEmpty('kms_key_id'), matches('kms_key_id', 'aws/')),
  remediation: 'Set kms_key_id to the ARN of a customer managed key.',
  failing: [{}, { kms_key_id: 'alias/aws/secretsmanager' }],
  passing: [
    { kms_key_id: 'arn:aws:kms:eu-west-1:111122223333:key/1' },
    { kms_key_id: 'arn:aws:kms:eu-west-1:111122223333:key/1' },
  ],
});
