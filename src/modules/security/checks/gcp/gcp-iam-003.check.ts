import { defineCheck, example } from '../../engine/check.js';
import { any, matches, some } from '../../engine/condition.js';

const DEFAULT_ACCOUNT = '(-compute@developer|@appspot)\\.gserviceaccount\\.com$';

export default defineCheck({
  id: 'GCP-IAM-003',
  title: 'Default service account must not be granted roles',
  severity: 'medium',
  category: 'identity',
  aliases: ['AVD-GCP-0006', 'AVD-GCP-0004', 'AVD-GCP-0008', 'CKV_GCP_46'],
  types: [
    'google_project_iam_member',
    'google_folder_iam_member',
    'google_organization_iam_member',
    'google_project_iam_binding',
    'google_folder_iam_binding',
    'google_organization_iam_binding',
  ],
  fail: any(matches('member', DEFAULT_ACCOUNT), some('members', matches('', DEFAULT_ACCOUNT))),
  remediation: 'Replace the default service account in member or members by a service account of your own.',
  failing: [
    { member: 'serviceAccount:123-compute@developer.gserviceaccount.com' },
    example({
      type: 'google_project_iam_binding',
      attributes: { members: ['user:a@example.com', 'serviceAccount:p@appspot.gserviceaccount.com'] },
    }),
  ],
  passing: [{}, { member: 'serviceAccount:deploy@project.iam.gserviceaccount.com' }],
});
