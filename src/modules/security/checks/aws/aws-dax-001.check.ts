import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-DAX-001',
  title: 'DAX cluster must be encrypted at rest',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0023', 'CKV_AWS_47'],
  types: ['aws_dax_cluster'],
  fail: notTrue('server_side_encryption.0.enabled'),
  remediation: 'Set enabled = true in server_side_encryption.',
  failing: [{}, { server_side_encryption: [{ enabled: false }] }],
  passing: [{ server_side_encryption: [{ enabled: true }] }],
});
