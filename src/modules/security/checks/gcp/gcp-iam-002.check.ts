import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-IAM-002',
  title: 'Service account impersonation role granted to a user at project level',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-GCP-0011', 'CKV_GCP_41'],
  types: ['google_project_iam_member', 'google_project_iam_binding'],
  fail: isIn('role', ['roles/iam.serviceAccountUser', 'roles/iam.serviceAccountTokenCreator']),
  remediation:
    'Set role to another value than "roles/iam.serviceAccountUser", "roles/iam.serviceAccountTokenCreator".',
  failing: [{ role: 'roles/iam.serviceAccountUser' }, { role: 'roles/iam.serviceAccountTokenCreator' }],
  passing: [{ role: 'other' }, {}],
});
