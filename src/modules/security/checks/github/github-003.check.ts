import { defineCheck } from '../../engine/check.js';
import { notEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'GITHUB-003',
  title: 'Actions secret must not be written as plain text',
  severity: 'high',
  category: 'secrets',
  aliases: ['AVD-GIT-0002', 'CKV_GIT_4'],
  types: ['github_actions_environment_secret', 'github_actions_organization_secret', 'github_actions_secret'],
  fail: notEmpty('plaintext_value'),
  remediation: 'Replace plaintext_value by encrypted_value.',
  failing: [{ plaintext_value: 'hunter22' }],
  passing: [{}],
});
