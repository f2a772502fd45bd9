import type { Attributes, Json } from '../engine/attribute-path.rules.js';
import { idOf, judgeServices, SERVICE_TYPES, shortOf } from './azure-services.rules.js';
import { AZURE_GROUP, AZURE_GROUP_RULE, AzureSecurityGroups } from './azure-security-groups.rules.js';
import { blocks, isUnknown, knownText, knownTexts, NetworkIndex } from './network-index.js';
import { ALL_PORTS, intersect, type PortRange, rangesOf, textOfRanges } from './port-ranges.rules.js';
import type { NetworkInstance, ReachabilityRules, ReachabilityVerdict } from './reachability.js';
import { CLOSED, guardVerdict, reachable, UNDECIDED, type Verdict, Verdicts } from './verdict.js';

const ID_NAMES = ['id', 'name'];
const INTERFACE = 'azurerm_network_interface';
const MACHINES = [
  'azurerm_linux_virtual_machine',
  'azurerm_windows_virtual_machine',
  'azurerm_virtual_machine',
];
const SCALE_SETS = [
  'azurerm_linux_virtual_machine_scale_set',
  'azurerm_windows_virtual_machine_scale_set',
  'azurerm_orchestrated_virtual_machine_scale_set',
];
const INTERFACE_GROUPS = 'azurerm_network_interface_security_group_association';
const SUBNET_GROUPS = 'azurerm_subnet_network_security_group_association';
const POOL_MEMBERS = 'azurerm_network_interface_backend_address_pool_association';
export const azureReachability: ReachabilityRules = {
  types: [
    INTERFACE,
    ...MACHINES,
    ...SCALE_SETS,
    AZURE_GROUP,
    AZURE_GROUP_RULE,
    INTERFACE_GROUPS,
    SUBNET_GROUPS,
    POOL_MEMBERS,
    'azurerm_subnet',
    'azurerm_public_ip',
    'azurerm_lb',
    'azurerm_lb_backend_address_pool',
    'azurerm_lb_rule',
    'azurerm_application_gateway',
    ...SERVICE_TYPES,
  ],
  judge: (instances) => new AzureNetwork(instances).judge(),
};

/** A balancer or gateway with a public address in front of interfaces. */
interface Front {
  step: string | undefined;
  ports: readonly PortRange[];
}

class AzureNetwork {
  private readonly network: NetworkIndex;
  private readonly groups: AzureSecurityGroups;
  private readonly verdicts = new Verdicts();
  /** group ids by interface and by subnet */
  private readonly attached = new Map<string, string[]>();
  /** public fronts by backend pool */
  private readonly pools = new Map<string, Front>();

  constructor(instances: readonly NetworkInstance[]) {
    this.network = new NetworkIndex(instances, ID_NAMES);
    this.groups = new AzureSecurityGroups(this.network);
    for (const { attributes } of this.network.ofTypes(INTERFACE_GROUPS))
      this.attach(attributes, 'network_interface_id');
    for (const { attributes } of this.network.ofTypes(SUBNET_GROUPS)) this.attach(attributes, 'subnet_id');
    for (const { attributes } of this.network.ofTypes('azurerm_subnet', INTERFACE))
      this.attach(attributes, 'id');
  }

  judge(): ReachabilityVerdict[] {
    const of = (...types: string[]): NetworkInstance[] => this.network.ofTypes(...types);
    for (const one of of('azurerm_lb')) this.judgeBalancer(one);
    for (const one of of('azurerm_application_gateway')) this.judgeGateway(one);
    for (const one of of(INTERFACE)) this.judgeInterface(one);
    for (const one of of(...MACHINES)) this.verdicts.set(one.ref, this.machine(one));
    for (const one of of(...SCALE_SETS)) this.judgeScaleSet(one);
    judgeServices(this.network, this.verdicts);
    for (const { ref, attributes } of of(AZURE_GROUP))
      this.verdicts.set(ref, guardVerdict(this.verdicts.guardedBy(idOf(attributes, 'id'))));
    for (const { ref, attributes } of of(AZURE_GROUP_RULE))
      this.verdicts.set(ref, guardVerdict(this.verdicts.guardedBy(this.groups.groupOfRule(attributes))));
    return this.verdicts.all();
  }

  private attach(attributes: Attributes, via: string): void {
    const [owner, group] = [idOf(attributes, via), idOf(attributes, 'network_security_group_id')];
    if (owner !== undefined && group !== undefined)
      this.attached.set(owner, [...(this.attached.get(owner) ?? []), group]);
  }

  private groupsOf(...owners: (string | undefined)[]): string[] {
    return owners.flatMap((owner) => (owner !== undefined && this.attached.get(owner)) || []);
  }

  /** The ports that every group leaves open. Without a group a standard address admits nothing, a basic one all. */
  private admitted(
    groups: readonly string[],
    wanted: readonly PortRange[],
    { isBasic }: { isBasic: boolean | undefined },
  ): readonly PortRange[] | 'unknown' {
    if (groups.length === 0) return isBasic === undefined ? 'unknown' : isBasic ? wanted : [];
    let open = wanted;
    let isUnclear = false;
    for (const group of groups) {
      const own = this.groups.open(group);
      if (own === 'unknown') isUnclear = true;
      else open = intersect(open, own);
    }
    return open.length > 0 && isUnclear ? 'unknown' : open;
  }

  /** undefined when the address is not known */
  private isBasic(addressId: string | undefined): boolean | undefined {
    const address = addressId === undefined ? undefined : this.network.find(addressId, 'azurerm_public_ip');
    const sku = address && knownText(address.attributes, 'sku');
    return sku === undefined ? undefined : sku.toLowerCase() === 'basic';
  }

  private judgeBalancer({ ref, attributes }: NetworkInstance): void {
    const fronts = blocks(attributes, 'frontend_ip_configuration');
    const address = fronts.flatMap((front) => knownTexts(front, 'public_ip_address_id'))[0];
    const name = knownText(attributes, 'id');
    if (address === undefined) {
      const isUnclear = fronts.some((front) => isUnknown(front, 'public_ip_address_id'));
      this.verdicts.set(ref, isUnclear ? UNDECIDED : CLOSED);
      return;
    }
    const rules = this.network
      .ofTypes('azurerm_lb_rule')
      .filter((rule) => idOf(rule.attributes, 'loadbalancer_id') === idOf(attributes, 'id'));
    const ports = rules.flatMap((rule) => knownTexts(rule.attributes, 'frontend_port'));
    this.verdicts.set(
      ref,
      reachable([shortOf(address), shortOf(name)], ports.length > 0 ? ports.join(', ') : undefined),
    );
    const step = [shortOf(address), shortOf(name)].join(' > ');
    for (const rule of rules) {
      const backend = knownTexts(rule.attributes, 'backend_port').flatMap((text) => rangesOf(text) ?? []);
      for (const pool of knownTexts(rule.attributes, 'backend_address_pool_ids'))
        this.pools.set(pool.toLowerCase(), { step, ports: backend.length > 0 ? backend : ALL_PORTS });
    }
    for (const pool of this.network.ofTypes('azurerm_lb_backend_address_pool')) {
      const id = idOf(pool.attributes, 'id');
      const isOwn = idOf(pool.attributes, 'loadbalancer_id') === idOf(attributes, 'id');
      // Rules may stand in a state that is not kept here.
      if (isOwn && id !== undefined && rules.length === 0 && !this.pools.has(id))
        this.pools.set(id, { step, ports: ALL_PORTS });
    }
  }

  private judgeGateway({ ref, attributes }: NetworkInstance): void {
    const fronts = blocks(attributes, 'frontend_ip_configuration');
    const address = fronts.flatMap((front) => knownTexts(front, 'public_ip_address_id'))[0];
    const groups = this.groupsOf(
      ...blocks(attributes, 'gateway_ip_configuration').map((one) => idOf(one, 'subnet_id')),
    );
    if (address === undefined) {
      const isUnclear = fronts.some((front) => isUnknown(front, 'public_ip_address_id'));
      this.verdicts.set(ref, isUnclear ? UNDECIDED : CLOSED, groups);
      return;
    }
    const wanted = blocks(attributes, 'frontend_port').flatMap((one) =>
      knownTexts(one, 'port').flatMap((text) => rangesOf(text) ?? []),
    );
    const open = this.admitted(groups, wanted.length > 0 ? wanted : ALL_PORTS, { isBasic: true });
    this.verdicts.set(
      ref,
      this.verdictOf(open, [shortOf(address), ...groups.map(shortOf)], attributes),
      groups,
    );
  }

  private verdictOf(
    open: readonly PortRange[] | 'unknown',
    way: readonly (string | undefined)[],
    attributes: Json,
  ): Verdict {
    if (open === 'unknown') return UNDECIDED;
    if (open.length === 0) return CLOSED;
    const ports = textOfRanges(open);
    return reachable([...way, shortOf(knownText(attributes, 'id'))], ports);
  }

  /** A public address or a public balancer in front, and the groups of the interface and of its subnet. */
  private judgeInterface({ ref, attributes }: NetworkInstance): void {
    const id = idOf(attributes, 'id');
    const configurations = blocks(attributes, 'ip_configuration');
    const subnets = configurations.map((one) => idOf(one, 'subnet_id'));
    const groups = this.groupsOf(id, ...subnets);
    const address = configurations.flatMap((one) => knownTexts(one, 'public_ip_address_id'))[0];
    const steps = groups.map(shortOf);
    if (address !== undefined) {
      const open = this.admitted(groups, ALL_PORTS, { isBasic: this.isBasic(address) });
      this.verdicts.set(ref, this.verdictOf(open, [shortOf(address), ...steps], attributes), groups);
      return;
    }
    const front = this.frontOf(id, configurations);
    if (front !== undefined) {
      const open = this.admitted(groups, front.ports, { isBasic: true });
      this.verdicts.set(ref, this.verdictOf(open, [front.step, ...steps], attributes), groups);
      return;
    }
    const isUnclear =
      isUnknown(attributes, 'ip_configuration') ||
      configurations.some((one) => isUnknown(one, 'public_ip_address_id'));
    this.verdicts.set(ref, isUnclear ? UNDECIDED : CLOSED, groups);
  }

  private frontOf(interfaceId: string | undefined, configurations: readonly Json[]): Front | undefined {
    const own = configurations.flatMap((one) => knownTexts(one, 'load_balancer_backend_address_pools_ids'));
    const members = this.network
      .ofTypes(POOL_MEMBERS)
      .filter(({ attributes }) => idOf(attributes, 'network_interface_id') === interfaceId)
      .flatMap(({ attributes }) => knownTexts(attributes, 'backend_address_pool_id'));
    for (const pool of [...own, ...members]) {
      const front = this.pools.get(pool.toLowerCase());
      if (front !== undefined) return front;
    }
    return undefined;
  }

  /** As reachable as its interfaces. */
  private machine({ attributes }: NetworkInstance): Verdict {
    if (isUnknown(attributes, 'network_interface_ids')) return UNDECIDED;
    const found = knownTexts(attributes, 'network_interface_ids').map((id) => {
      const own = this.network.find(id, INTERFACE);
      return (own && this.verdicts.get(own.ref)) ?? UNDECIDED;
    });
    const open = found.find(({ reach }) => reach === 'reachable');
    if (open === undefined) return guardVerdict(found);
    return { ...open, evidence: `${open.evidence} > ${shortOf(knownText(attributes, 'id')) ?? 'machine'}` };
  }

  private judgeScaleSet({ ref, attributes }: NetworkInstance): void {
    const verdicts: Verdict[] = [];
    const guards: string[] = [];
    for (const one of blocks(attributes, 'network_interface')) {
      const configurations = blocks(one, 'ip_configuration');
      const groups = [
        ...[idOf(one, 'network_security_group_id')].filter((id) => id !== undefined),
        ...this.groupsOf(...configurations.map((each) => idOf(each, 'subnet_id'))),
      ];
      guards.push(...groups);
      const isPublic = configurations.some((each) => blocks(each, 'public_ip_address').length > 0);
      const pools = configurations.flatMap((each) =>
        knownTexts(each, 'load_balancer_backend_address_pool_ids'),
      );
      const front = pools
        .map((pool) => this.pools.get(pool.toLowerCase()))
        .find((each) => each !== undefined);
      if (!isPublic && front === undefined) verdicts.push(CLOSED);
      else {
        const open = this.admitted(groups, front?.ports ?? ALL_PORTS, { isBasic: front !== undefined });
        const way = [front?.step ?? 'public address', ...groups.map(shortOf)];
        verdicts.push(this.verdictOf(open, way, attributes));
      }
    }
    this.verdicts.set(ref, guardVerdict(verdicts), guards);
  }
}
