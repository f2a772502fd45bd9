import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RSH-003',
  title: 'Redshift cluster must route its traffic through the VPC',
  severity: 'medium',
  category: 'network-exposure',
  aliases: ['CKV_AWS_321'],
  types: ['aws_redshift_cluster'],
  fail: notTrue('enhanced_vpc_routing'),
  remediation: 'Set enhanced_vpc_routing = true.',
  failing: [{}, { enhanced_vpc_routing: false }],
  passing: [{ enhanced_vpc_routing: true }],
});
