import { defineCheck } from '../../engine/check.js';
import { any, isTrue, notEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EC2-002',
  title: 'EC2 instance has a public IP address',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AWS-0009', 'CKV_AWS_88'],
  types: ['aws_instance', 'aws_launch_configuration'],
  fail: any(isTrue('associate_public_ip_address'), notEmpty('public_ip')),
  remediation: 'Set associate_public_ip_address = false; remove public_ip.',
  failing: [{ associate_public_ip_address: true }, { public_ip: 'value' }],
  passing: [{}, { associate_public_ip_address: false }],
});
