import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ES-001',
  title: 'OpenSearch domain must be encrypted at rest',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0048', 'CKV_AWS_5'],
  types: ['aws_elasticsearch_domain', 'aws_opensearch_domain'],
  fail: notTrue('encrypt_at_rest.0.enabled'),
  remediation: 'Set enabled = true in encrypt_at_rest.',
  failing: [{}, { encrypt_at_rest: [{ enabled: false }] }],
  passing: [{ encrypt_at_rest: [{ enabled: true }] }],
});
