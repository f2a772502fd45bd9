import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-IAM-002',
  title: 'Service account impersonation must not be granted on a project',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-GCP-0011', 'CKV_GCP_41'],
  types: ['google_project_iam_member', 'google_project_iam_binding'],
  fail: isIn('role', ['roles/iam.serviceAccountUser', 'roles/iam.serviceAccountTokenCreator']),
  remediation:
    'Grant the role on the one service account with google_service_account_iam_member instead of setting role here.',
  failing: [{ role: 'roles/iam.serviceAccountUser' }, { role: 'roles/iam.serviceAccountTokenCreator' }],
  passing: [{ role: 'roles/storage.objectViewer' }, {}],
});
