import { defineCheck, example } from '../../engine/check.js';
import { all, any, contains, not, notEmpty, ofType } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-STO-007',
  title: 'Storage account must let trusted services pass its network rules',
  severity: 'low',
  category: 'hardening',
  aliases: ['AVD-AZU-0010'],
  types: ['azurerm_storage_account_network_rules', 'azurerm_storage_account'],
  fail: any(
    all(
      ofType('azurerm_storage_account_network_rules'),
      notEmpty('bypass'),
      not(contains('bypass', 'AzureServices')),
    ),
    all(
      ofType('azurerm_storage_account'),
      notEmpty('network_rules.0.bypass'),
      not(contains('network_rules.0.bypass', 'AzureServices')),
    ),
  ),
  remediation: 'Add "AzureServices" to bypass (in network_rules of the account).',
  failing: [
    { bypass: [{}] },
    { bypass: ['other'] },
    example({ type: 'azurerm_storage_account', attributes: { network_rules: [{ bypass: [{}] }] } }),
  ],
  passing: [
    example({ type: 'azurerm_storage_account', attributes: { bypass: [{}] } }),
    example({
      type: 'azurerm_storage_account',
      attributes: { bypass: [{}], network_rules: [{ bypass: ['AzureServices'] }] },
    }),
  ],
});
