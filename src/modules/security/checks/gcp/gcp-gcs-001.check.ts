import { defineCheck } from '../../engine/check.js';
import { any, contains, isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCS-001',
  title: 'Storage bucket must not be public',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: ['AVD-GCP-0001', 'CKV_GCP_28'],
  types: ['google_storage_bucket_iam_member', 'google_storage_bucket_iam_binding'],
  fail: any(
    isIn('member', ['allUsers', 'allAuthenticatedUsers']),
    contains('members', 'allUsers'),
    contains('members', 'allAuthenticatedUsers'),
  ),
  remediation: 'Replace allUsers and allAuthenticatedUsers in member or members by known identities.',
  failing: [{ member: 'allUsers' }, { member: 'allAuthenticatedUsers' }],
  passing: [{ member: 'user:ada@example.com' }, { member: 'user:ada@example.com', members: ['other'] }],
});
