import { defineCheck } from '../../engine/check.js';
import { all, isEmpty, notTrue } from '../../engine/condition.js';

export default defineCheck({
  id: 'AZURE-AKS-002',
  title: 'AKS API server must admit known networks only',
  severity: 'critical',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-AZU-0041'],
  types: ['azurerm_kubernetes_cluster'],
  fail: all(
    isEmpty('api_server_authorized_ip_ranges'),
    isEmpty('api_server_access_profile.0.authorized_ip_ranges'),
    notTrue('private_cluster_enabled'),
  ),
  remediation: 'Set authorized_ip_ranges in api_server_access_profile, or private_cluster_enabled = true.',
  failing: [{}, { private_cluster_enabled: false }],
  passing: [
    { api_server_authorized_ip_ranges: [{}] },
    { api_server_authorized_ip_ranges: [{}], private_cluster_enabled: false },
  ],
});
