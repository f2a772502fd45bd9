import { defineCheck } from '../../engine/check.js';
import { notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GITHUB-004',
  title: 'Branch protection must require signed commits',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-GIT-0004', 'CKV_GIT_6'],
  types: ['github_branch_protection', 'github_branch_protection_v3'],
  fail: notTrue('require_signed_commits'),
  remediation: 'Set require_signed_commits = true.',
  failing: [{}, { require_signed_commits: false }],
  passing: [{ require_signed_commits: true }],
});
