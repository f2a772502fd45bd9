import { defineCheck } from '../../engine/check.js';
import { all, isIn, notIn, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-API-002',
  title: 'API Gateway method must require authorization or an API key',
  severity: 'low',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AWS-0004', 'CKV_AWS_59'],
  types: ['aws_api_gateway_method'],
  fail: all(
    isIn('authorization', ['NONE', null]),
    notIn('http_method', ['OPTIONS', 'OPTION']),
    notTrue('api_key_required'),
  ),
  remediation: 'Set authorization to AWS_IAM, CUSTOM or COGNITO_USER_POOLS, or set api_key_required = true.',
  failing: [{ authorization: 'NONE' }, { authorization: 'NONE', api_key_required: false }],
  passing: [
    { authorization: 'AWS_IAM' },
    { authorization: 'NONE', api_key_required: true },
    { authorization: 'NONE', http_method: 'OPTIONS' },
  ],
});
