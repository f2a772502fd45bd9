import { defineCheck } from '../../engine/check.js';
import { any, contains, isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-IAM-006',
  title: 'Cloud Function must not be public',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: ['CKV_GCP_107'],
  types: [
    'google_cloudfunctions_function_iam_member',
    'google_cloudfunctions_function_iam_binding',
    'google_cloudfunctions2_function_iam_member',
    'google_cloudfunctions2_function_iam_binding',
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
