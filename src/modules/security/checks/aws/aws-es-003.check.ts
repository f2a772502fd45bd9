import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ES-003',
  title: 'OpenSearch domain lacks node to node encryption',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0043'],
  types: ['aws_elasticsearch_domain', 'aws_opensearch_domain'],
  fail: notTrue('node_to_node_encryption.0.enabled'),
  remediation: 'Set node_to_node_encryption.enabled = true.',
  failing: [{}, { node_to_node_encryption: [{ enabled: false }] }],
  passing: [{ node_to_node_encryption: [{ enabled: true }] }],
});
