import { defineCheck } from '../../engine/check.js';
import { isIn } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-IAM-001',
  title: 'Basic role must not be granted on a project',
  severity: 'high',
  category: 'identity',
  aliases: ['CKV_GCP_117'],
  types: ['google_project_iam_member', 'google_project_iam_binding'],
  fail: isIn('role', ['roles/owner', 'roles/editor', 'roles/viewer']),
  remediation: 'Set role to a predefined or custom role with the needed permissions.',
  failing: [{ role: 'roles/owner' }, { role: 'roles/editor' }],
  passing: [{ role: 'roles/storage.objectViewer' }, {}],
});
