import { defineCheck } from '../../engine/check.js';
import { any, contains, isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-IAM-005',
  title: 'Cloud Run service must not be public',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: ['CKV_GCP_102'],
  types: [
    'google_cloud_run_service_iam_member',
    'google_cloud_run_service_iam_binding',
    'google_cloud_run_v2_service_iam_member',
    'google_cloud_run_v2_service_iam_binding',
  ],
  fail: any(
    isIn('member', ['allUsers', 'allAuthenticatedUsers']),
    contains('members', 'allUsers'),
    contains('members', 'allAuthenticatedUsers'),
  ),
  remediation: 'Replace allUsers and allAuthenticatedUsers in member or members by known identities.',
  failing: [{ member: 'allUsers' }, { member: 'allAuthenticatedUsers' }],
  passing: [{ member: 'user:ada@example.com' }, { member: 'user:ada@example.com', members: ['other'] }],
});
