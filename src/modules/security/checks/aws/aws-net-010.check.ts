import { defineCheck } from '../../engine/check.js';
import { isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NET-010',
  title: 'Subnet must not assign public IP addresses by default',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AWS-0164', 'CKV_AWS_130'],
  types: ['aws_subnet'],
  fail: isTrue('map_public_ip_on_launch'),
  remediation: 'Set map_public_ip_on_launch = false.',
  failing: [{ map_public_ip_on_launch: true }],
  passing: [{}, { map_public_ip_on_launch: false }],
});
