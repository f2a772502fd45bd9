import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-AKS-007',
  title: 'AKS disks must be encrypted with a customer managed key',
  severity: 'low',
  category: 'encryption',
  aliases: ['CKV_AZURE_117'],
  types: ['azurerm_kubernetes_cluster'],
  fail: isEmpty('disk_encryption_set_id'),
  remediation: 'Set disk_encryption_set_id to the id of a disk encryption set.',
  failing: [{}],
  passing: [
    {
      disk_encryption_set_id:
        '/subscriptions/s/resourceGroups/g/providers/Microsoft.Compute/diskEncryptionSets/a',
    },
  ],
});
