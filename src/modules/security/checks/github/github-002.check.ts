import { defineCheck } from '../../engine/check.js';
import { all, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GITHUB-002',
  title: 'Repository vulnerability alerts are disabled',
  severity: 'high',
  category: 'hardening',
  aliases: ['AVD-GIT-0003', 'CKV_GIT_3'],
  types: ['github_repository'],
  fail: all(notTrue('vulnerability_alerts'), notTrue('archived')),
  remediation: 'Set vulnerability_alerts = true.',
  failing: [{}, { archived: false }],
  passing: [{ vulnerability_alerts: true }, { vulnerability_alerts: true, archived: false }],
});
