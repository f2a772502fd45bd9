import { defineCheck } from '../../engine/check.js';
import { any, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-WKS-001',
  title: 'WorkSpaces volumes must be encrypted',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0109'],
  types: ['aws_workspaces_workspace'],
  fail: any(notTrue('root_volume_encryption_enabled'), notTrue('user_volume_encryption_enabled')),
  remediation: 'Set root_volume_encryption_enabled = true and user_volume_encryption_enabled = true.',
  failing: [{}, { root_volume_encryption_enabled: false }],
  passing: [{ root_volume_encryption_enabled: true, user_volume_encryption_enabled: true }],
});
