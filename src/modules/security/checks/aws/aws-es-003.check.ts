import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ES-003',
  title: 'OpenSearch domain must encrypt traffic between its nodes',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0043'],
  types: ['aws_elasticsearch_domain', 'aws_opensearch_domain'],
  fail: notTrue('node_to_node_encryption.0.enabled'),
  remediation: 'Set enabled = true in node_to_node_encryption.',
  failing: [{}, { node_to_node_encryption: [{ enabled: false }] }],
  passing: [{ node_to_node_encryption: [{ enabled: true }] }],
});
