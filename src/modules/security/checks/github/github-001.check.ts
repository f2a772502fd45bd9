import { defineCheck } from '../../engine/check.js';
import { all, notIn, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GITHUB-001',
  title: 'Repository must not be public',
  severity: 'critical',
  category: 'public-access',
  exposure: true,
  aliases: ['AVD-GIT-0001', 'CKV_GIT_1'],
  types: ['github_repository'],
  fail: all(notTrue('private'), notIn('visibility', ['private', 'internal'])),
  remediation: 'Set visibility = "private" or "internal".',
  failing: [{}, { visibility: 'public' }],
  passing: [{ visibility: 'private' }, { visibility: 'internal' }, { private: true }],
});
