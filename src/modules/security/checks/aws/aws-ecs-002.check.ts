import { defineCheck } from '../../engine/check.js';
import { all, ne, notEmpty, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECS-002',
  title: 'ECS task volume lacks EFS transit encryption',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0035', 'CKV_AWS_97'],
  types: ['aws_ecs_task_definition'],
  fail: some(
    'volume',
    all(notEmpty('efs_volume_configuration'), ne('efs_volume_configuration.0.transit_encryption', 'ENABLED')),
  ),
  remediation: 'Set efs_volume_configuration.transit_encryption = "ENABLED" in volume.',
  failing: [
    { volume: [{ efs_volume_configuration: [{ transit_encryption: 'other' }] }] },
    { volume: [{ efs_volume_configuration: 'value' }] },
  ],
  passing: [{}, { volume: [{}] }],
});
