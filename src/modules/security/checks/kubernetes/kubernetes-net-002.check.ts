import { defineCheck } from '../../engine/check.js';
import { some, world } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-NET-002',
  title: 'Network policy must not allow egress to every address',
  severity: 'high',
  category: 'network-exposure',
  aliases: ['AVD-KUBE-0002'],
  types: ['kubernetes_network_policy', 'kubernetes_network_policy_v1'],
  fail: some('spec.0.egress', some('to', world('ip_block.0.cidr'))),
  remediation: 'Narrow cidr of ip_block in the to block of spec.egress to known networks.',
  failing: [{ spec: [{ egress: [{ to: [{ ip_block: [{ cidr: '0.0.0.0/0' }] }] }] }] }],
  passing: [{}, { spec: [{ egress: [{}] }] }],
});
