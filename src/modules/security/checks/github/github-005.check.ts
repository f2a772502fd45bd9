import { defineCheck } from '../../engine/check.js';
import { isTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'GITHUB-005',
  title: 'Repository webhook must verify TLS certificates',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['CKV_GIT_2'],
  types: ['github_repository_webhook'],
  fail: isTrue('configuration.0.insecure_ssl'),
  remediation: 'Set insecure_ssl = false in configuration.',
  failing: [{ configuration: [{ insecure_ssl: true }] }],
  passing: [{}, { configuration: [{ insecure_ssl: false }] }],
});
