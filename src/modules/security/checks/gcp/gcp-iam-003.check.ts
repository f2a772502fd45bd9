import { defineCheck } from '../../engine/check.js';
import { matches } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-IAM-003',
  title: 'Default service account has a project role',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-GCP-0006', 'AVD-GCP-0004', 'AVD-GCP-0008', 'CKV_GCP_46'],
  types: ['google_project_iam_member', 'google_folder_iam_member', 'google_organization_iam_member'],
  fail: matches(
    'member',
    '^(serviceAccount:)?.*(-compute@developer\\.gserviceaccount\\.com|@appspot\\.gserviceaccount\\.com)$',
  ),
  remediation: 'Change member.',
  failing: [{ member: 'serviceAccount:123-compute@developer.gserviceaccount.com' }],
  passing: [{}, { member: 'other' }],
});
