import { isWorldCidr } from '../engine/network-match.rules.js';
import { type Json, numberOf, valueAt } from '../engine/attribute-path.rules.js';
import { normalizedId } from '../engine/linked-ids.rules.js';
import { blocks, flag, isUnknown, knownText, knownTexts, type NetworkIndex } from './network-index.js';
import {
  ALL_PORTS,
  openPorts,
  type OrderedRule,
  type PortRange,
  rangesOf,
  textOfRanges,
} from './port-ranges.rules.js';
import type { NetworkInstance } from './reachability.js';

const PROTOCOLS = ['tcp', 'udp'] as const;
type Protocol = (typeof PROTOCOLS)[number];
const PROTOCOL_NUMBERS: Readonly<Record<string, Protocol>> = { '6': 'tcp', '17': 'udp' };
const DEFAULT_PRIORITY = 1000;

/** A virtual machine as firewalls see it. */
export interface GuardedHost {
  networks: readonly string[];
  tags: readonly string[];
  serviceAccounts: readonly string[];
}

interface Firewall {
  instance: NetworkInstance;
  network: string;
  name: string;
  priority: number;
  isDeny: boolean;
  tags: readonly string[];
  serviceAccounts: readonly string[];
  ports: Readonly<Record<Protocol, readonly PortRange[]>>;
  isUnclear: boolean;
}

export type Admittance =
  | { reach: 'reachable'; ports: string; step: string }
  | { reach: 'closed' }
  | { reach: 'undecided' };

/** The last part of a link, by which networks are named in short. */
export function shortName(link: string): string {
  return normalizedId(link).split('/').at(-1) ?? link;
}

/** Enabled ingress rules for the whole internet, lowest priority number first and denials before what allows. */
export class GoogleFirewalls {
  private readonly firewalls: readonly Firewall[];

  constructor(network: NetworkIndex) {
    this.firewalls = network
      .ofTypes('google_compute_firewall')
      .flatMap((instance) => firewallOf(instance) ?? [])
      .sort((a, b) => a.priority - b.priority || Number(b.isDeny) - Number(a.isDeny));
  }

  /** The rules that stand before a host. */
  guarding(host: GuardedHost): NetworkInstance[] {
    return this.matching(host).map(({ instance }) => instance);
  }

  admits(host: GuardedHost): Admittance {
    const rules = this.matching(host);
    const open = PROTOCOLS.map((protocol) =>
      openPorts(
        ALL_PORTS,
        rules.map(({ isDeny, ports }): OrderedRule => ({ allows: !isDeny, ports: ports[protocol] })),
      ),
    );
    const found = open.find((ranges) => ranges.length > 0);
    if (found === undefined)
      return { reach: rules.some(({ isUnclear }) => isUnclear) ? 'undecided' : 'closed' };
    const ports = textOfRanges(found);
    const by = rules.find(
      ({ isDeny, ports: own }) => !isDeny && PROTOCOLS.some((one) => own[one].length > 0),
    );
    return { reach: 'reachable', ports, step: `${by?.name ?? 'firewall'}:${ports}` };
  }

  private matching(host: GuardedHost): Firewall[] {
    return this.firewalls.filter((firewall) => {
      if (!host.networks.includes(firewall.network)) return false;
      if (firewall.tags.length === 0 && firewall.serviceAccounts.length === 0) return true;
      return (
        firewall.tags.some((tag) => host.tags.includes(tag)) ||
        firewall.serviceAccounts.some((account) => host.serviceAccounts.includes(account))
      );
    });
  }
}

/** Undefined for rules that say nothing about the whole internet. */
function firewallOf(instance: NetworkInstance): Firewall | undefined {
  const { attributes } = instance;
  const network = knownText(attributes, 'network');
  if (network === undefined || flag(attributes, 'disabled') === true) return undefined;
  if ((knownText(attributes, 'direction') ?? 'INGRESS').toUpperCase() !== 'INGRESS') return undefined;
  const isUnclear = ['source_ranges', 'allow', 'deny'].some((path) => isUnknown(attributes, path));
  if (!isUnclear && !isForWorld(attributes)) return undefined;
  const isDeny = blocks(attributes, 'deny').length > 0;
  const rules = blocks(attributes, isDeny ? 'deny' : 'allow');
  return {
    instance,
    network: shortName(network),
    name: knownText(attributes, 'name') ?? instance.address,
    priority: numberOf(valueAt(attributes, 'priority')) ?? DEFAULT_PRIORITY,
    isDeny,
    tags: knownTexts(attributes, 'target_tags'),
    serviceAccounts: knownTexts(attributes, 'target_service_accounts'),
    ports: isUnclear ? { tcp: [], udp: [] } : { tcp: portsOf(rules, 'tcp'), udp: portsOf(rules, 'udp') },
    isUnclear,
  };
}

/** Without any source a rule holds for every address. */
function isForWorld(attributes: Json): boolean {
  const ranges = knownTexts(attributes, 'source_ranges');
  if (ranges.length > 0) return ranges.some(isWorldCidr);
  return ['source_tags', 'source_service_accounts'].every(
    (path) => knownTexts(attributes, path).length === 0,
  );
}

function portsOf(rules: readonly Json[], protocol: Protocol): readonly PortRange[] {
  return rules.flatMap((rule) => {
    const named = (knownText(rule, 'protocol') ?? '').toLowerCase();
    if (named !== 'all' && (PROTOCOL_NUMBERS[named] ?? named) !== protocol) return [];
    const ports = knownTexts(rule, 'ports');
    return ports.length === 0 ? ALL_PORTS : ports.flatMap((text) => rangesOf(text) ?? []);
  });
}
