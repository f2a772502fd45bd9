import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-NEP-001',
  title: 'Neptune cluster must be encrypted at rest',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0076', 'CKV_AWS_44'],
  types: ['aws_neptune_cluster'],
  fail: notTrue('storage_encrypted'),
  remediation: 'Set storage_encrypted = true.',
  failing: [{}, { storage_encrypted: false }],
  passing: [{ storage_encrypted: true }],
});
