import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-API-003',
  title: 'API Gateway domain name must require TLS 1.2',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0005'],
  types: ['aws_api_gateway_domain_name'],
  fail: isIn('security_policy', [null, '', 'TLS_1_0']),
  remediation: 'Set security_policy = "TLS_1_2".',
  failing: [{}, { security_policy: 'TLS_1_0' }],
  passing: [{ security_policy: 'TLS_1_2' }],
});
