import { defineCheck } from '../../engine/check.js';
import { isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-DMS-001',
  title: 'DMS replication instance must not be publicly accessible',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: ['CKV_AWS_89'],
  types: ['aws_dms_replication_instance'],
  fail: isTrue('publicly_accessible'),
  remediation: 'Set publicly_accessible = false.',
  failing: [{ publicly_accessible: true }],
  passing: [{}, { publicly_accessible: false }],
});
