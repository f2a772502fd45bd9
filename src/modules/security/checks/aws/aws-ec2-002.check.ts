import { defineCheck, example } from '../../engine/check.js';
import { any, isTrue, notEmpty, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-EC2-002',
  title: 'EC2 instance must not have a public IP address',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AWS-0009', 'CKV_AWS_88'],
  types: ['aws_instance', 'aws_launch_configuration', 'aws_launch_template'],
  fail: any(
    isTrue('associate_public_ip_address'),
    notEmpty('public_ip'),
    some('network_interfaces', isTrue('associate_public_ip_address')),
  ),
  remediation:
    'Set associate_public_ip_address = false, or place the instance in a subnet that assigns no public address, so that public_ip stays empty.',
  failing: [
    { associate_public_ip_address: true },
    { public_ip: '203.0.113.7' },
    example({
      type: 'aws_launch_template',
      attributes: { network_interfaces: [{ associate_public_ip_address: 'true' }] },
    }),
  ],
  passing: [{}, { associate_public_ip_address: false }],
});
