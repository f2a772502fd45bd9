import { defineCheck } from '../../engine/check.js';
import { isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECS-003',
  title: 'ECS service must not assign public IP addresses',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['CKV_AWS_333'],
  types: ['aws_ecs_service'],
  fail: isTrue('network_configuration.0.assign_public_ip'),
  remediation: 'Set assign_public_ip = false in network_configuration.',
  failing: [{ network_configuration: [{ assign_public_ip: true }] }],
  passing: [{}, { network_configuration: [{ assign_public_ip: false }] }],
});
