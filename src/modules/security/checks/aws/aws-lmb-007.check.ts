import { defineCheck } from '../../engine/check.js';
import { all, isEmpty, notEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-LMB-007',
  title: 'Lambda environment must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_AWS_173'],
  types: ['aws_lambda_function'],
  fail: all(notEmpty('environment.0.variables'), isEmpty('kms_key_arn')),
  remediation: 'Set kms_key_arn to the ARN of a customer managed key.',
  failing: [{ environment: [{ variables: [{}] }] }, { environment: [{ variables: { STAGE: 'test' } }] }],
  passing: [
    {},
    { kms_key_arn: 'arn:aws:kms:eu-west-1:111122223333:key/1', environment: [{ variables: [{}] }] },
  ],
});
