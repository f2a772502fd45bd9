import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AWS-ECA-004',
  title: 'ElastiCache replication group must require authentication',
  severity: 'medium',
  category: 'identity',
  aliases: ['CKV_AWS_31'],
  types: ['aws_elasticache_replication_group'],
  when: isEmpty('user_group_ids'),
  fail: isEmpty('auth_token'),
  remediation: 'Set auth_token, or assign users with user_group_ids.',
  failing: [{}],
  passing: [{ auth_token: [{}] }, { auth_token: 'a long token of its own' }],
});
