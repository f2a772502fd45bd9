import { defineCheck } from '../../engine/check.js';
import { all, any, eq, isFalse, isEmpty, not, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GITHUB-002',
  title: 'Repository must have vulnerability alerts enabled',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-GIT-0003', 'CKV_GIT_3'],
  types: ['github_repository'],
  // GitHub enables alerts for public repositories unless they are switched off.
  fail: all(
    any(
      isFalse('vulnerability_alerts'),
      all(isEmpty('vulnerability_alerts'), not(eq('visibility', 'public'))),
    ),
    notTrue('archived'),
  ),
  remediation: 'Set vulnerability_alerts = true.',
  failing: [{}, { archived: false }],
  passing: [
    { visibility: 'public' },
    { vulnerability_alerts: true },
    { vulnerability_alerts: true, archived: false },
  ],
});
