import { defineCheck } from '../../engine/check.js';
import { any, isEmpty, matches, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-DDB-002',
  title: 'DynamoDB table must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['AVD-AWS-0025', 'CKV_AWS_119'],
  types: ['aws_dynamodb_table'],
  fail: any(
    notTrue('server_side_encryption.0.enabled'),
    isEmpty('server_side_encryption.0.kms_key_arn'),
    matches('server_side_encryption.0.kms_key_arn', 'alias/aws/'),
  ),
  remediation:
    'Set enabled = true and kms_key_arn in server_side_encryption; alias/aws/dynamodb is the key that AWS manages.',
  failing: [{}, { server_side_encryption: [{ enabled: false }] }],
  passing: [
    { server_side_encryption: [{ enabled: true, kms_key_arn: 'arn:aws:kms:eu-west-1:111122223333:key/1' }] },
    { server_side_encryption: [{ enabled: true, kms_key_arn: 'arn:aws:kms:eu-west-1:111122223333:key/1' }] },
  ],
});
