import { defineCheck } from '../../engine/check.js';
import { eq, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-RDS-010',
  title: 'RDS snapshot must not be shared with everyone',
  severity: 'critical',
  category: 'public-access',
  exposure: true,
  aliases: ['CKV_AWS_302'],
  types: ['aws_db_snapshot', 'aws_db_cluster_snapshot'],
  fail: some('shared_accounts', eq('', 'all')),
  remediation: 'Remove "all" from shared_accounts and list the accounts that need the snapshot.',
  failing: [{ shared_accounts: ['all'] }],
  passing: [{}, { shared_accounts: [{}] }],
});
