import { defineCheck } from '../../engine/check.js';
import { present, some } from '../../engine/condition.js';

export default defineCheck({
  id: 'GCP-GCE-001',
  title: 'Compute instance must not have an external address',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-GCP-0031', 'CKV_GCP_40'],
  types: ['google_compute_instance', 'google_compute_instance_template'],
  fail: some('network_interface', some('access_config', present(''))),
  remediation: 'Remove the access_config block from network_interface.',
  failing: [{ network_interface: [{ access_config: [{ nat_ip: '' }] }] }],
  passing: [{}, { network_interface: [{ access_config: [] }] }],
});
