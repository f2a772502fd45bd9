import { defineCheck } from '../../engine/check.js';
import { all, ne, notEmpty, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECS-002',
  title: 'ECS task definition must encrypt EFS traffic',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['AVD-AWS-0035', 'CKV_AWS_97'],
  types: ['aws_ecs_task_definition'],
  fail: some(
    'volume',
    all(notEmpty('efs_volume_configuration'), ne('efs_volume_configuration.0.transit_encryption', 'ENABLED')),
  ),
  remediation: 'Set transit_encryption = "ENABLED" in efs_volume_configuration of each volume.',
  failing: [
    { volume: [{ efs_volume_configuration: [{ transit_encryption: 'DISABLED' }] }] },
    { volume: [{ efs_volume_configuration: [{ file_system_id: 'fs-1' }] }] },
  ],
  passing: [{}, { volume: [{}] }],
});
