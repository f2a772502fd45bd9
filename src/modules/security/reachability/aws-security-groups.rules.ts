import { type Attributes, type Json, numberOf, textOf, valueAt } from '../engine/attribute-path.rules.js';
import { isWorldCidr } from '../engine/network-match.rules.js';
import { blocks, isUnknown, knownText, knownTexts, type NetworkIndex } from './network-index.js';

export const SECURITY_GROUP_TYPES = ['aws_security_group', 'aws_default_security_group'] as const;
export const GROUP_RULE_TYPES = ['aws_security_group_rule', 'aws_vpc_security_group_ingress_rule'] as const;

/** What a security group admits: ports from the whole internet, and other groups. */
export interface Admission {
  ports: Set<string>;
  groups: Set<string>;
  /** an unknown value may admit more */
  unknown: boolean;
}

/** The union of inline rules and rule resources, by group id. */
export function admissionsOf(network: NetworkIndex): Map<string, Admission> {
  const found = new Map<string, Admission>();
  const of = (id: string): Admission => {
    let admission = found.get(id);
    if (admission === undefined)
      found.set(id, (admission = { ports: new Set(), groups: new Set(), unknown: false }));
    return admission;
  };
  for (const { attributes } of network.ofTypes(...SECURITY_GROUP_TYPES)) {
    const id = knownText(attributes, 'id');
    if (id === undefined) continue;
    const admission = of(id);
    if (isUnknown(attributes, 'ingress')) admission.unknown = true;
    for (const rule of blocks(attributes, 'ingress')) {
      admit(admission, rule, ['cidr_blocks', 'ipv6_cidr_blocks'], 'protocol');
      for (const group of knownTexts(rule, 'security_groups')) admission.groups.add(group);
      if (valueAt(rule, 'self') === true) admission.groups.add(id);
    }
  }
  for (const { type, attributes } of network.ofTypes(...GROUP_RULE_TYPES)) {
    const id = knownText(attributes, 'security_group_id');
    if (id === undefined) continue;
    if (type === 'aws_security_group_rule' && knownText(attributes, 'type') !== 'ingress') continue;
    const isVpcRule = type === 'aws_vpc_security_group_ingress_rule';
    const admission = of(id);
    admit(
      admission,
      attributes,
      isVpcRule ? ['cidr_ipv4', 'cidr_ipv6'] : ['cidr_blocks', 'ipv6_cidr_blocks'],
      isVpcRule ? 'ip_protocol' : 'protocol',
    );
    const group = knownText(
      attributes,
      isVpcRule ? 'referenced_security_group_id' : 'source_security_group_id',
    );
    if (group !== undefined) admission.groups.add(group);
  }
  return found;
}

function admit(admission: Admission, rule: Json, cidrPaths: readonly string[], protocolPath: string): void {
  if (cidrPaths.some((path) => isUnknown(rule, path))) admission.unknown = true;
  if (cidrPaths.some((path) => knownTexts(rule, path).some(isWorldCidr)))
    admission.ports.add(portsOf(rule, protocolPath));
}

function portsOf(rule: Json, protocolPath: string): string {
  const protocol = textOf(valueAt(rule, protocolPath)) ?? '-1';
  const from = numberOf(valueAt(rule, 'from_port'));
  const to = numberOf(valueAt(rule, 'to_port'));
  if (protocol === '-1' || protocol === 'all' || from === undefined || to === undefined) return 'all';
  if (from === 0 && to === 65_535) return 'all';
  return from === to ? String(from) : `${from}-${to}`;
}

/** The ids of the groups that an instance stands in, wherever its type keeps them. */
export function groupsOf(attributes: Attributes | Json): string[] {
  return [...new Set(GROUP_PATHS.flatMap((path) => knownTexts(attributes, path)))];
}

const GROUP_PATHS = [
  'vpc_security_group_ids',
  'security_groups',
  'security_group_ids',
  'vpc_config.0.security_group_ids',
  'network_configuration.0.security_groups',
  'network_interfaces.0.security_groups',
];
