import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ES-004',
  title: 'OpenSearch domain must require TLS 1.2',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0126'],
  types: ['aws_elasticsearch_domain', 'aws_opensearch_domain'],
  fail: isIn('domain_endpoint_options.0.tls_security_policy', ['Policy-Min-TLS-1-0-2019-07']),
  remediation: 'Set tls_security_policy = "Policy-Min-TLS-1-2-2019-07" in domain_endpoint_options.',
  failing: [{ domain_endpoint_options: [{ tls_security_policy: 'Policy-Min-TLS-1-0-2019-07' }] }],
  passing: [{ domain_endpoint_options: [{ tls_security_policy: 'Policy-Min-TLS-1-2-2019-07' }] }, {}],
});
