import { defineCheck } from '../../engine/check.js';
import { all, eq, notIn, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-API-002',
  title: 'API Gateway method has no authorization',
  severity: 'low',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AWS-0004', 'CKV_AWS_59'],
  types: ['aws_api_gateway_method'],
  fail: all(
    eq('authorization', 'NONE'),
    notIn('http_method', ['OPTIONS', 'OPTION']),
    notTrue('api_key_required'),
  ),
  remediation: 'Set api_key_required = true.',
  failing: [{ authorization: 'NONE' }, { authorization: 'NONE', api_key_required: false }],
  passing: [{}, { api_key_required: false }],
});
