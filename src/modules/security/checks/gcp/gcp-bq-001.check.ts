import { defineCheck } from '../../engine/check.js';
import { any, eq, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-BQ-001',
  title: 'BigQuery dataset must not be public',
  severity: 'critical',
  category: 'public-access',
  exposure: true,
  aliases: ['AVD-GCP-0046'],
  types: ['google_bigquery_dataset'],
  fail: some(
    'access',
    any(
      eq('special_group', 'allAuthenticatedUsers'),
      eq('special_group', 'allUsers'),
      eq('iam_member', 'allUsers'),
    ),
  ),
  remediation:
    'Remove the access block whose special_group or iam_member is allUsers or allAuthenticatedUsers.',
  failing: [
    { access: [{ special_group: 'allAuthenticatedUsers' }] },
    { access: [{ special_group: 'allUsers' }] },
  ],
  passing: [{}, { access: [{}] }],
});
