import { isWorldCidr } from '../engine/network-match.rules.js';
import { type Json, UNKNOWN, valueAt } from '../engine/attribute-path.rules.js';
import { GoogleFirewalls, type GuardedHost, shortName } from './google-firewalls.rules.js';
import { blocks, flag, isUnknown, knownText, knownTexts, NetworkIndex } from './network-index.js';
import type { NetworkInstance, ReachabilityRules, ReachabilityVerdict } from './reachability.js';
import { CLOSED, guardVerdict, reachable, UNDECIDED, type Verdict, Verdicts } from './verdict.js';

const ID_NAMES = ['id', 'self_link', 'name'];
const EVERYBODY = new Set(['allusers', 'allauthenticatedusers']);
const FORWARDING_RULES = ['google_compute_forwarding_rule', 'google_compute_global_forwarding_rule'];

/** Resources whose IAM opens them to everybody, and the attribute by which members of it name them. */
const OPEN_TO_MEMBERS: Readonly<Record<string, { prefix: string; via: string; isKeptInside: InsideTest }>> = {
  google_storage_bucket: {
    prefix: 'google_storage_bucket_iam',
    via: 'bucket',
    isKeptInside: (bucket) => knownText(bucket, 'public_access_prevention') === 'enforced',
  },
  google_cloud_run_service: {
    prefix: 'google_cloud_run_service_iam',
    via: 'service',
    isKeptInside: (service) => {
      const annotations = valueAt(service, 'metadata.0.annotations');
      const ingress = knownText({ ingress: memberOf(annotations, 'run.googleapis.com/ingress') }, 'ingress');
      return ingress !== undefined && ingress !== 'all';
    },
  },
  google_cloud_run_v2_service: {
    prefix: 'google_cloud_run_v2_service_iam',
    via: 'name',
    isKeptInside: (service) => (knownText(service, 'ingress') ?? ALL_INGRESS) !== ALL_INGRESS,
  },
  google_cloudfunctions_function: {
    prefix: 'google_cloudfunctions_function_iam',
    via: 'cloud_function',
    isKeptInside: (code) => (knownText(code, 'ingress_settings') ?? 'ALLOW_ALL') !== 'ALLOW_ALL',
  },
  google_cloudfunctions2_function: {
    prefix: 'google_cloudfunctions2_function_iam',
    via: 'cloud_function',
    isKeptInside: (code) =>
      (knownText(code, 'service_config.0.ingress_settings') ?? 'ALLOW_ALL') !== 'ALLOW_ALL',
  },
};
type InsideTest = (attributes: Json) => boolean;
const ALL_INGRESS = 'INGRESS_TRAFFIC_ALL';
const MEMBER_KINDS = ['member', 'binding', 'policy'] as const;
const BUCKET_ACLS = [
  'google_storage_bucket_acl',
  'google_storage_bucket_access_control',
  'google_storage_default_object_acl',
  'google_storage_default_object_access_control',
];
const PUBLIC_ACLS = new Set(['publicread', 'publicreadwrite', 'authenticatedread']);

export const googleReachability: ReachabilityRules = {
  types: [
    'google_compute_instance',
    'google_compute_firewall',
    'google_compute_subnetwork',
    'google_sql_database_instance',
    'google_container_cluster',
    ...FORWARDING_RULES,
    ...BUCKET_ACLS,
    ...Object.entries(OPEN_TO_MEMBERS).flatMap(([type, { prefix }]) => [
      type,
      ...MEMBER_KINDS.map((kind) => `${prefix}_${kind}`),
    ]),
  ],
  judge: (instances) => new GoogleNetwork(instances).judge(),
};

class GoogleNetwork {
  private readonly network: NetworkIndex;
  private readonly firewalls: GoogleFirewalls;
  private readonly verdicts = new Verdicts();

  constructor(instances: readonly NetworkInstance[]) {
    this.network = new NetworkIndex(instances, ID_NAMES);
    this.firewalls = new GoogleFirewalls(this.network);
  }

  judge(): ReachabilityVerdict[] {
    const of = (...types: string[]): NetworkInstance[] => this.network.ofTypes(...types);
    for (const one of of('google_compute_instance')) this.judgeHost(one);
    for (const one of of('google_sql_database_instance')) this.verdicts.set(one.ref, database(one));
    for (const one of of('google_container_cluster')) this.verdicts.set(one.ref, cluster(one));
    for (const one of of(...FORWARDING_RULES)) this.verdicts.set(one.ref, forwardingRule(one));
    for (const type of Object.keys(OPEN_TO_MEMBERS)) this.judgeMembers(type);
    for (const one of of('google_compute_firewall'))
      this.verdicts.set(one.ref, guardVerdict(this.verdicts.guardedBy(one.ref)));
    return this.verdicts.all();
  }

  /** An external address, and a rule of its network that admits every address. */
  private judgeHost({ ref, attributes }: NetworkInstance): void {
    const interfaces = blocks(attributes, 'network_interface');
    const host: GuardedHost = {
      networks: interfaces.flatMap((one) => this.networkOf(one) ?? []),
      tags: knownTexts(attributes, 'tags'),
      serviceAccounts: blocks(attributes, 'service_account').flatMap((one) => knownTexts(one, 'email')),
    };
    const guards = this.firewalls.guarding(host).map((guard) => guard.ref);
    this.verdicts.set(ref, this.hostVerdict(attributes, interfaces, host), guards);
  }

  private hostVerdict(attributes: Json, interfaces: readonly Json[], host: GuardedHost): Verdict {
    if (isUnknown(attributes, 'network_interface')) return UNDECIDED;
    const isExternal = interfaces.some((one) =>
      ['access_config', 'ipv6_access_config'].some((path) => blocks(one, path).length > 0),
    );
    if (!isExternal) {
      return interfaces.some((one) => isUnknown(one, 'access_config')) ? UNDECIDED : CLOSED;
    }
    const admitted = this.firewalls.admits(host);
    if (admitted.reach !== 'reachable') return admitted.reach === 'closed' ? CLOSED : UNDECIDED;
    return reachable([admitted.step, knownText(attributes, 'name')], admitted.ports);
  }

  private networkOf(networkInterface: Json): string | undefined {
    const named = knownText(networkInterface, 'network');
    if (named !== undefined) return shortName(named);
    const subnetwork = knownText(networkInterface, 'subnetwork');
    const found =
      subnetwork === undefined ? undefined : this.network.find(subnetwork, 'google_compute_subnetwork');
    const network = found && knownText(found.attributes, 'network');
    return network === undefined ? undefined : shortName(network);
  }

  /** Buckets and services that a member of their IAM or ACL opens to everybody. */
  private judgeMembers(type: string): void {
    const rule = OPEN_TO_MEMBERS[type];
    if (rule === undefined) return;
    const setters = MEMBER_KINDS.flatMap((kind) => this.network.ofTypes(`${rule.prefix}_${kind}`));
    if (type === 'google_storage_bucket') setters.push(...this.network.ofTypes(...BUCKET_ACLS));
    const ownerOf = (setter: NetworkInstance): NetworkInstance | undefined =>
      this.network.find(knownText(setter.attributes, rule.via) ?? '', type);
    const opened = openedBy(setters, ownerOf);
    for (const { ref, attributes } of this.network.ofTypes(type)) {
      const isOpen = opened.has(ref) ? opened.get(ref) : false;
      const name = knownText(attributes, 'id') ?? knownText(attributes, 'name');
      if (isOpen === false || rule.isKeptInside(attributes)) this.verdicts.set(ref, CLOSED);
      else this.verdicts.set(ref, isOpen ? reachable(['allUsers', name]) : UNDECIDED);
    }
    for (const setter of setters) {
      const owner = ownerOf(setter);
      const verdict = owner === undefined ? undefined : this.verdicts.get(owner.ref);
      this.verdicts.set(setter.ref, verdict ?? UNDECIDED);
    }
  }
}

/** Owners that a setter opens to everybody; undefined where that depends on an unknown value. */
function openedBy(
  setters: readonly NetworkInstance[],
  ownerOf: (setter: NetworkInstance) => NetworkInstance | undefined,
): Map<string, boolean | undefined> {
  const opened = new Map<string, boolean | undefined>();
  for (const setter of setters) {
    const owner = ownerOf(setter);
    const isOpen = opensToEverybody(setter.attributes);
    if (owner !== undefined && isOpen !== false && opened.get(owner.ref) !== true)
      opened.set(owner.ref, isOpen);
  }
  return opened;
}

function memberOf(value: Json | undefined, name: string): Json {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return null;
  return Object.hasOwn(value, name) ? ((value as Record<string, Json>)[name] ?? null) : null;
}

/** Whether IAM members or ACL entities name everybody; undefined when a value is unknown. */
function opensToEverybody(attributes: Json): boolean | undefined {
  const paths = ['member', 'members', 'entity', 'role_entity', 'predefined_acl', 'policy_data'];
  const isOpen = paths.some((path) =>
    knownTexts(attributes, path).some((text) => {
      const lower = text.toLowerCase();
      if (path === 'policy_data')
        return lower.includes('"allusers"') || lower.includes('"allauthenticatedusers"');
      if (path === 'predefined_acl') return PUBLIC_ACLS.has(lower);
      return EVERYBODY.has(lower.split(':').at(-1) ?? '');
    }),
  );
  if (isOpen) return true;
  return paths.some((path) => isUnknown(attributes, path)) ? undefined : false;
}

function database({ attributes }: NetworkInstance): Verdict {
  const path = 'settings.0.ip_configuration.0';
  if (flag(attributes, `${path}.ipv4_enabled`) === false) return CLOSED;
  const networks = blocks(attributes, `${path}.authorized_networks`);
  const name = knownText(attributes, 'connection_name') ?? knownText(attributes, 'name');
  if (networks.some((one) => isWorldCidr(knownText(one, 'value') ?? ''))) return reachable([name]);
  const isUnclear =
    valueAt(attributes, `${path}.authorized_networks`) === UNKNOWN ||
    networks.some((one) => isUnknown(one, 'value'));
  return isUnclear ? UNDECIDED : CLOSED;
}

/** A public endpoint without authorized networks, or with the world among them. */
function cluster({ attributes }: NetworkInstance): Verdict {
  if (flag(attributes, 'private_cluster_config.0.enable_private_endpoint') === true) return CLOSED;
  if (isUnknown(attributes, 'private_cluster_config') || isUnknown(attributes, AUTHORIZED)) return UNDECIDED;
  const name = knownText(attributes, 'endpoint') ?? knownText(attributes, 'name');
  if (blocks(attributes, AUTHORIZED).length === 0) return reachable([name], '443');
  const networks = blocks(attributes, `${AUTHORIZED}.0.cidr_blocks`);
  if (networks.some((one) => isWorldCidr(knownText(one, 'cidr_block') ?? '')))
    return reachable([name], '443');
  return networks.some((one) => isUnknown(one, 'cidr_block')) ? UNDECIDED : CLOSED;
}
const AUTHORIZED = 'master_authorized_networks_config';

function forwardingRule({ attributes }: NetworkInstance): Verdict {
  if (isUnknown(attributes, 'load_balancing_scheme')) return UNDECIDED;
  const scheme = knownText(attributes, 'load_balancing_scheme') ?? 'EXTERNAL';
  if (!scheme.startsWith('EXTERNAL')) return CLOSED;
  const ports = [...knownTexts(attributes, 'port_range'), ...knownTexts(attributes, 'ports')];
  const address = knownText(attributes, 'ip_address');
  return reachable([address, knownText(attributes, 'name')], ports.length > 0 ? ports.join(', ') : undefined);
}
