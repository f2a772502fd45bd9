import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-API-001',
  title: 'API Gateway stage must write access logs',
  severity: 'medium',
  category: 'logging',
  aliases: ['AVD-AWS-0001', 'CKV_AWS_76'],
  types: ['aws_api_gateway_stage', 'aws_apigatewayv2_stage'],
  fail: isEmpty('access_log_settings.0.destination_arn'),
  remediation: 'Set access_log_settings.destination_arn to the ARN of a log group or delivery stream.',
  failing: [{}],
  passing: [
    { access_log_settings: [{ destination_arn: 'arn:aws:logs:eu-west-1:111122223333:log-group:access' }] },
  ],
});
