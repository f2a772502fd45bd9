import { defineCheck } from '../../engine/check.js';
import { isEmpty } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GKE-002',
  title: 'GKE control plane must admit known networks only',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-GCP-0061', 'CKV_GCP_20'],
  types: ['google_container_cluster'],
  fail: isEmpty('master_authorized_networks_config'),
  remediation: 'Add a master_authorized_networks_config block with cidr_blocks.',
  failing: [{}],
  passing: [
    { master_authorized_networks_config: [{}] },
    { master_authorized_networks_config: [{ cidr_blocks: [{ cidr_block: '10.0.0.0/8' }] }] },
  ],
});
