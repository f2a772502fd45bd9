import { defineCheck, example } from '../../engine/check.js';
import { all, any, ne, notEmpty, ofType } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-STO-004',
  title: 'Storage account must deny network access by default',
  severity: 'critical',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AZU-0012'],
  types: ['azurerm_storage_account_network_rules', 'azurerm_storage_account'],
  fail: any(
    all(ofType('azurerm_storage_account_network_rules'), ne('default_action', 'Deny')),
    all(
      ofType('azurerm_storage_account'),
      notEmpty('network_rules'),
      ne('network_rules.0.default_action', 'Deny'),
    ),
  ),
  remediation: 'Set default_action = "Deny" (in network_rules of the account).',
  failing: [
    {},
    { default_action: 'Allow' },
    example({
      type: 'azurerm_storage_account',
      attributes: { network_rules: [{ default_action: 'Allow' }] },
    }),
  ],
  passing: [
    example({ type: 'azurerm_storage_account', attributes: {} }),
    example({ type: 'azurerm_storage_account', attributes: { network_rules: [{ default_action: 'Deny' }] } }),
    { default_action: 'Deny', network_rules: [{ default_action: 'Deny' }] },
  ],
});
