import { isRecord, textOf, UNKNOWN, valueAt } from '../engine/attribute-path.rules.js';
import { isWorldCidr } from '../engine/network-match.rules.js';
import { blocks, isUnknown, knownText, knownTexts } from './network-index.js';
import type { NetworkInstance, ReachabilityRules } from './reachability.js';
import { CLOSED, reachable, UNDECIDED, type Verdict } from './verdict.js';

const SERVICES = ['kubernetes_service', 'kubernetes_service_v1'];
const INGRESSES = ['kubernetes_ingress', 'kubernetes_ingress_v1'];
/** Annotations that keep a balancer in the private network, and the values with which they do. */
const INTERNAL: Readonly<Record<string, RegExp>> = {
  'service.beta.kubernetes.io/aws-load-balancer-internal': /^(?:true|0\.0\.0\.0\/0)$/i,
  'service.beta.kubernetes.io/aws-load-balancer-scheme': /^internal$/i,
  'service.beta.kubernetes.io/azure-load-balancer-internal': /^true$/i,
  'service.beta.kubernetes.io/openstack-internal-load-balancer': /^true$/i,
  'networking.gke.io/load-balancer-type': /^internal$/i,
  'cloud.google.com/load-balancer-type': /^internal$/i,
  'alb.ingress.kubernetes.io/scheme': /^internal$/i,
};
const INTERNAL_CLASSES = new Set(['gce-internal', 'internal']);

/** Services of type LoadBalancer and NodePort, and ingresses, that no annotation keeps in the private network. */
export const kubernetesReachability: ReachabilityRules = {
  types: [...SERVICES, ...INGRESSES],
  judge: (instances) =>
    instances.map((instance) => ({
      ref: instance.ref,
      ...(SERVICES.includes(instance.type) ? serviceVerdict(instance) : ingressVerdict(instance)),
    })),
};

function serviceVerdict(instance: NetworkInstance): Verdict {
  const { attributes } = instance;
  if (isUnknown(attributes, 'spec') || isUnknown(attributes, 'spec.0.type')) return UNDECIDED;
  const type = knownText(attributes, 'spec.0.type') ?? 'ClusterIP';
  if (type !== 'LoadBalancer' && type !== 'NodePort') return CLOSED;
  const isBalancer = type === 'LoadBalancer';
  if (isBalancer && isInternal(instance)) return CLOSED;
  const sources = knownTexts(attributes, 'spec.0.load_balancer_source_ranges');
  if (isBalancer && sources.length > 0 && !sources.some(isWorldCidr)) return CLOSED;
  if (hasUnknownAnnotations(instance)) return UNDECIDED;
  const ports = blocks(attributes, 'spec.0.port').flatMap((port) =>
    knownTexts(port, isBalancer ? 'port' : 'node_port'),
  );
  return reachable([nameOf(instance)], ports.length > 0 ? ports.join(', ') : undefined);
}

function ingressVerdict(instance: NetworkInstance): Verdict {
  if (isUnknown(instance.attributes, 'spec')) return UNDECIDED;
  if (isInternal(instance)) return CLOSED;
  if (hasUnknownAnnotations(instance)) return UNDECIDED;
  const isTls = blocks(instance.attributes, 'spec.0.tls').length > 0;
  return reachable([nameOf(instance)], isTls ? '80, 443' : '80');
}

function isInternal({ attributes }: NetworkInstance): boolean {
  const annotations = valueAt(attributes, 'metadata.0.annotations');
  const named = isRecord(annotations) ? annotations : {};
  const isKept = Object.entries(INTERNAL).some(
    ([name, value]) => Object.hasOwn(named, name) && value.test(textOf(named[name]) ?? ''),
  );
  const className =
    textOf(named['kubernetes.io/ingress.class']) ?? knownText(attributes, 'spec.0.ingress_class_name');
  if (isKept || INTERNAL_CLASSES.has(className ?? '')) return true;
  // The controller for application load balancers makes internal ones unless it is told otherwise.
  return className === 'alb' && textOf(named['alb.ingress.kubernetes.io/scheme']) !== 'internet-facing';
}

function hasUnknownAnnotations({ attributes }: NetworkInstance): boolean {
  const annotations = valueAt(attributes, 'metadata.0.annotations');
  if (annotations === UNKNOWN) return true;
  return isRecord(annotations) && Object.keys(INTERNAL).some((name) => annotations[name] === UNKNOWN);
}

function nameOf({ attributes, address }: NetworkInstance): string {
  // The id is `namespace/name`.
  return knownText(attributes, 'id') ?? knownText(attributes, 'metadata.0.name') ?? address;
}
