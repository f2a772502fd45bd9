import { defineCheck } from '../../engine/check.js';
import { isEmpty, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RDS-002',
  title: 'RDS instance must be encrypted at rest',
  severity: 'high',
  category: 'encryption',
  cis: '2.3.1',
  aliases: ['AVD-AWS-0080', 'CKV_AWS_16'],
  types: ['aws_db_instance'],
  when: isEmpty('replicate_source_db'),
  fail: notTrue('storage_encrypted'),
  remediation: 'Set storage_encrypted = true.',
  failing: [{}, { storage_encrypted: false }],
  passing: [{ storage_encrypted: true }],
});
