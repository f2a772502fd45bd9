import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-DOC-001',
  title: 'DocumentDB cluster must be encrypted at rest',
  severity: 'high',
  category: 'encryption',
  aliases: ['AVD-AWS-0021', 'CKV_AWS_74'],
  types: ['aws_docdb_cluster'],
  fail: notTrue('storage_encrypted'),
  remediation: 'Set storage_encrypted = true.',
  failing: [{}, { storage_encrypted: false }],
  passing: [{ storage_encrypted: true }],
});
