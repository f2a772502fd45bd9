import fc from 'fast-check';
import { UNKNOWN } from '../engine/attribute-path.rules.js';
import { anyInstances, type Case, reachOf } from './estate.fixture.js';
import { kubernetesReachability } from './kubernetes-reachability.rules.js';

const service = (spec: Record<string, string | string[]>, annotations: Record<string, string> = {}) => ({
  'kubernetes_service.s': { id: 'shop/web', metadata: [{ annotations }], spec: [spec] },
});
const ingress = (annotations: Record<string, string>, className = 'nginx') => ({
  'kubernetes_ingress_v1.i': {
    id: 'shop/web',
    metadata: [{ annotations }],
    spec: [{ ingress_class_name: className }],
  },
});
const BALANCER = service({ type: 'LoadBalancer' });
const [SERVICE, INGRESS] = ['kubernetes_service.s', 'kubernetes_ingress_v1.i'];

const CASES: Case[] = [
  ['a balancer, and a service of the cluster', BALANCER, SERVICE, service({ type: 'ClusterIP' })],
  ['a service without a type', BALANCER, SERVICE, service({})],
  ['a port of every node', service({ type: 'NodePort' }), SERVICE, service({ type: 'ClusterIP' })],
  [
    'an internal balancer of AWS',
    BALANCER,
    SERVICE,
    service({ type: 'LoadBalancer' }, { 'service.beta.kubernetes.io/aws-load-balancer-scheme': 'internal' }),
  ],
  [
    'an internal balancer of Azure',
    BALANCER,
    SERVICE,
    service({ type: 'LoadBalancer' }, { 'service.beta.kubernetes.io/azure-load-balancer-internal': 'true' }),
  ],
  [
    'an internal balancer of Google',
    BALANCER,
    SERVICE,
    service({ type: 'LoadBalancer' }, { 'networking.gke.io/load-balancer-type': 'Internal' }),
  ],
  [
    'a balancer for known networks',
    service({ type: 'LoadBalancer', load_balancer_source_ranges: ['0.0.0.0/0'] }),
    SERVICE,
    service({ type: 'LoadBalancer', load_balancer_source_ranges: ['10.0.0.0/8'] }),
  ],
  [
    'an ingress of AWS',
    ingress({ 'alb.ingress.kubernetes.io/scheme': 'internet-facing' }, 'alb'),
    INGRESS,
    ingress({}, 'alb'),
  ],
  ['an ingress of Google', ingress({}, 'gce'), INGRESS, ingress({}, 'gce-internal')],
];

describe('Reachability on Kubernetes', () => {
  it.each(CASES)('%s', (_name, estate, address, change) => {
    expect([
      reachOf(kubernetesReachability, estate, address),
      reachOf(kubernetesReachability, { ...estate, ...change }, address),
    ]).toEqual(['reachable', 'closed']);
  });

  it('does not decide where annotations are not known', () => {
    const estate = { [SERVICE]: { metadata: [{ annotations: UNKNOWN }], spec: [{ type: 'LoadBalancer' }] } };
    expect(reachOf(kubernetesReachability, estate, SERVICE)).toBe('undecided');
  });

  it('is total on any JSON', () => {
    fc.assert(
      fc.property(anyInstances(kubernetesReachability, ['id', 'metadata', 'spec']), (list) => {
        expect(kubernetesReachability.judge(list)).toHaveLength(list.length);
      }),
    );
  });
});
