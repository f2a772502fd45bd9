import { defineCheck } from '../../engine/check.js';
import { ne } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-QLDB-001',
  title: 'QLDB ledger must use the standard permissions mode',
  severity: 'medium',
  category: 'identity',
  aliases: ['CKV_AWS_170'],
  types: ['aws_qldb_ledger'],
  fail: ne('permissions_mode', 'STANDARD'),
  remediation: 'Set permissions_mode = "STANDARD".',
  failing: [{}, { permissions_mode: 'ALLOW_ALL' }],
  passing: [{ permissions_mode: 'STANDARD' }],
});
