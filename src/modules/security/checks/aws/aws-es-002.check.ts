import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ES-002',
  title: 'OpenSearch domain must require HTTPS',
  severity: 'critical',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0046', 'CKV_AWS_83'],
  types: ['aws_elasticsearch_domain', 'aws_opensearch_domain'],
  fail: notTrue('domain_endpoint_options.0.enforce_https'),
  remediation: 'Set enforce_https = true in domain_endpoint_options.',
  failing: [{}, { domain_endpoint_options: [{ enforce_https: false }] }],
  passing: [{ domain_endpoint_options: [{ enforce_https: true }] }],
});
