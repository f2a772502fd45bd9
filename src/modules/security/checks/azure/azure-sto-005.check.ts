import { defineCheck } from '../../engine/check.js';
import { notFalse } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-STO-005',
  title: 'Storage account must not allow public blobs',
  severity: 'high',
  category: 'public-access',
  exposure: true,
  aliases: ['CKV_AZURE_190'],
  types: ['azurerm_storage_account'],
  fail: notFalse('allow_nested_items_to_be_public'),
  remediation: 'Set allow_nested_items_to_be_public = false.',
  failing: [{}, { allow_nested_items_to_be_public: true }],
  passing: [{ allow_nested_items_to_be_public: false }],
});
