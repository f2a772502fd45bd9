import { type Json, numberOf, valueAt } from '../engine/attribute-path.rules.js';
import { isAzureWorld } from '../engine/network-match.rules.js';
import { blocks, isUnknown, knownText, knownTexts, type NetworkIndex } from './network-index.js';
import { ALL_PORTS, openPorts, type OrderedRule, type PortRange, rangesOf } from './port-ranges.rules.js';

export const AZURE_GROUP = 'azurerm_network_security_group';
export const AZURE_GROUP_RULE = 'azurerm_network_security_rule';
const LAST_PRIORITY = 65_000;

interface InboundRule extends OrderedRule {
  priority: number;
}

interface Group {
  rules: InboundRule[];
  isUnclear: boolean;
}

/** What a network security group leaves open to the whole internet; `unknown` where an unknown value decides. */
export type OpenPorts = readonly PortRange[] | 'unknown';

/** Network security groups with their inline rules and rule resources, by the id of the group. */
export class AzureSecurityGroups {
  private readonly groups = new Map<string, Group>();
  /** ids of groups by resource group and name, by which rule resources name them */
  private readonly names = new Map<string, string>();

  constructor(network: NetworkIndex) {
    for (const { attributes } of network.ofTypes(AZURE_GROUP)) {
      const id = knownText(attributes, 'id')?.toLowerCase();
      if (id === undefined) continue;
      const group: Group = { rules: [], isUnclear: isUnknown(attributes, 'security_rule') };
      for (const rule of blocks(attributes, 'security_rule')) addRule(group, rule);
      this.groups.set(id, group);
      const name = nameOf(attributes, 'name');
      if (name !== undefined) this.names.set(name, id);
    }
    for (const { attributes } of network.ofTypes(AZURE_GROUP_RULE)) {
      const group = this.groups.get(this.groupOfRule(attributes) ?? '');
      if (group !== undefined) addRule(group, attributes);
    }
    for (const { rules } of this.groups.values()) rules.sort((a, b) => a.priority - b.priority);
  }

  /** The id of the group that a rule resource belongs to. */
  groupOfRule(attributes: Json): string | undefined {
    const name = nameOf(attributes, 'network_security_group_name');
    return name === undefined ? undefined : this.names.get(name);
  }

  open(groupId: string): OpenPorts {
    const group = this.groups.get(groupId.toLowerCase());
    if (group === undefined) return 'unknown';
    const open = openPorts(ALL_PORTS, group.rules);
    return group.isUnclear ? 'unknown' : open;
  }
}

function nameOf(attributes: Json, path: string): string | undefined {
  const [group, name] = [knownText(attributes, 'resource_group_name'), knownText(attributes, path)];
  return group === undefined || name === undefined ? undefined : `${group}/${name}`.toLowerCase();
}

/** Only rules for the whole internet count: one for fewer addresses opens or closes nothing for the rest. */
function addRule(group: Group, rule: Json): void {
  if ((knownText(rule, 'direction') ?? '').toLowerCase() !== 'inbound') return;
  const sources = ['source_address_prefix', 'source_address_prefixes'];
  const ports = ['destination_port_range', 'destination_port_ranges'];
  if ([...sources, ...ports, 'access'].some((path) => isUnknown(rule, path))) group.isUnclear = true;
  if (!sources.some((path) => knownTexts(rule, path).some(isAzureWorld))) return;
  if (['icmp', 'esp', 'ah'].includes((knownText(rule, 'protocol') ?? '*').toLowerCase())) return;
  group.rules.push({
    priority: numberOf(valueAt(rule, 'priority')) ?? LAST_PRIORITY,
    allows: (knownText(rule, 'access') ?? '').toLowerCase() === 'allow',
    ports: ports.flatMap((path) => knownTexts(rule, path).flatMap((text) => rangesOf(text) ?? [])),
  });
}
