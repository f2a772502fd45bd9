import { defineCheck } from '../../engine/check.js';
import { any, isFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-STO-001',
  title: 'Storage account must require HTTPS',
  severity: 'high',
  category: 'encryption-transit',
  aliases: ['AVD-AZU-0008'],
  types: ['azurerm_storage_account'],
  fail: any(isFalse('enable_https_traffic_only'), isFalse('https_traffic_only_enabled')),
  remediation: 'Set https_traffic_only_enabled = true.',
  failing: [{ enable_https_traffic_only: false }, { https_traffic_only_enabled: false }],
  passing: [
    { enable_https_traffic_only: true, https_traffic_only_enabled: true },
    { enable_https_traffic_only: true },
  ],
});
