import { defineCheck } from '../../engine/check.js';
import { some, world } from '../../engine/condition.js';

export default defineCheck({
  id: 'KUBERNETES-NET-001',
  title: 'Network policy must not admit ingress from every address',
  severity: 'high',
  category: 'network-exposure',
  exposure: true,
  aliases: ['AVD-KUBE-0001'],
  types: ['kubernetes_network_policy', 'kubernetes_network_policy_v1'],
  fail: some('spec.0.ingress', some('from', world('ip_block.0.cidr'))),
  remediation: 'Narrow cidr of ip_block in the from block of spec.ingress to known networks.',
  failing: [{ spec: [{ ingress: [{ from: [{ ip_block: [{ cidr: '0.0.0.0/0' }] }] }] }] }],
  passing: [{}, { spec: [{ ingress: [{}] }] }],
});
