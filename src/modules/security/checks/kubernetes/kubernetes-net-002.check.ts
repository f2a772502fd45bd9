import { defineCheck } from '../../engine/check.js';
import { some, world } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-NET-002',
  title: 'Network policy allows egress to any address',
  severity: 'high',
  category: 'network-exposure',
  aliases: ['AVD-KUBE-0002'],
  types: ['kubernetes_network_policy', 'kubernetes_network_policy_v1'],
  fail: some('spec.0.egress', some('to', world('ip_block.0.cidr'))),
  remediation: 'Narrow ip_block.cidr to known networks in to in spec.egress.',
  failing: [{ spec: [{ egress: [{ to: [{ ip_block: [{ cidr: '0.0.0.0/0' }] }] }] }] }],
  passing: [{}, { spec: [{ egress: [{}] }] }],
});
