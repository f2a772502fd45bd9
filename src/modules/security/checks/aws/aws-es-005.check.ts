import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ES-005',
  title: 'OpenSearch domain must be placed in a VPC',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_AWS_137'],
  types: ['aws_elasticsearch_domain', 'aws_opensearch_domain'],
  fail: isEmpty('vpc_options'),
  remediation: 'Add a vpc_options block with subnet_ids and security_group_ids.',
  failing: [{}],
  passing: [{ vpc_options: [{}] }, { vpc_options: [{ subnet_ids: ['subnet-1'] }] }],
});
