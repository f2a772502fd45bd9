import { defineCheck } from '../../engine/check.js';
import { isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RSH-004',
  title: 'Redshift cluster must allow version upgrades',
  severity: 'low',
  category: 'hygiene',
  aliases: ['CKV_AWS_141'],
  types: ['aws_redshift_cluster'],
  fail: isFalse('allow_version_upgrade'),
  remediation: 'Set allow_version_upgrade = true.',
  failing: [{ allow_version_upgrade: false }],
  passing: [{ allow_version_upgrade: true }, {}],
});
