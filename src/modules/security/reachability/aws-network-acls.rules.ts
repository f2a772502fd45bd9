import { type Json, numberOf, valueAt } from '../engine/attribute-path.rules.js';
import { isWorldCidr } from '../engine/network-match.rules.js';
import { blocks, flag, isUnknown, knownText, knownTexts, type NetworkIndex } from './network-index.js';
import { ALL_PORTS, openPorts, type OrderedRule, type PortRange } from './port-ranges.rules.js';

const ACLS = ['aws_network_acl', 'aws_default_network_acl'] as const;
export const NETWORK_ACL_TYPES = [...ACLS, 'aws_network_acl_rule', 'aws_network_acl_association'] as const;
const CIDR_PATHS = ['cidr_block', 'ipv6_cidr_block'];
const LAST_RULE = 32_767;

interface NetworkAcl {
  rules: (OrderedRule & { place: number })[];
  isUnclear: boolean;
}

/** What the access control list of a subnet leaves of some ports; all of them where no list is known. */
export type AclFilter = (
  subnetId: string | undefined,
  wanted: readonly PortRange[],
) => readonly PortRange[] | 'unknown';

/** Network access control lists: the ingress rule with the lowest number decides, and nothing else is let in. */
export function aclFilterOf(network: NetworkIndex): AclFilter {
  const acls = new Map<string, NetworkAcl>();
  const bySubnet = new Map<string, string>();
  for (const { type, attributes } of network.ofTypes(...ACLS)) {
    const id = knownText(attributes, type === 'aws_network_acl' ? 'id' : 'default_network_acl_id');
    if (id === undefined) continue;
    const acl: NetworkAcl = { rules: [], isUnclear: isUnknown(attributes, 'ingress') };
    for (const rule of blocks(attributes, 'ingress'))
      addRule(acl, rule, { place: 'rule_no', action: 'action' });
    acls.set(id, acl);
    for (const subnet of knownTexts(attributes, 'subnet_ids')) bySubnet.set(subnet, id);
  }
  for (const { attributes } of network.ofTypes('aws_network_acl_rule')) {
    const acl = acls.get(knownText(attributes, 'network_acl_id') ?? '');
    if (acl !== undefined && flag(attributes, 'egress') !== true)
      addRule(acl, attributes, { place: 'rule_number', action: 'rule_action' });
  }
  for (const { attributes } of network.ofTypes('aws_network_acl_association')) {
    const [acl, subnet] = [knownText(attributes, 'network_acl_id'), knownText(attributes, 'subnet_id')];
    if (acl !== undefined && subnet !== undefined) bySubnet.set(subnet, acl);
  }
  for (const { rules } of acls.values()) rules.sort((a, b) => a.place - b.place);
  return (subnetId, wanted) => {
    const acl = acls.get((subnetId !== undefined && bySubnet.get(subnetId)) || '');
    // A list whose rules are kept nowhere admits what cannot be said: a default one lets everything in.
    if (acl === undefined || (acl.rules.length === 0 && !acl.isUnclear)) return wanted;
    const open = openPorts(wanted, acl.rules);
    return acl.isUnclear ? 'unknown' : open;
  };
}

/** Only rules for the whole internet count. */
function addRule(acl: NetworkAcl, rule: Json, names: { place: string; action: string }): void {
  const paths = [...CIDR_PATHS, names.action, 'from_port', 'to_port'];
  if (paths.some((path) => isUnknown(rule, path))) acl.isUnclear = true;
  if (!CIDR_PATHS.some((path) => isWorldCidr(knownText(rule, path) ?? ''))) return;
  const protocol = (knownText(rule, 'protocol') ?? '-1').toLowerCase();
  if (['1', 'icmp', '58', 'icmpv6'].includes(protocol)) return;
  const [from, to] = [numberOf(valueAt(rule, 'from_port')), numberOf(valueAt(rule, 'to_port'))];
  const isAll = ['-1', 'all'].includes(protocol) || from === undefined || to === undefined;
  acl.rules.push({
    place: numberOf(valueAt(rule, names.place)) ?? LAST_RULE,
    allows: (knownText(rule, names.action) ?? '').toLowerCase() === 'allow',
    ports: isAll ? ALL_PORTS : [{ from, to }],
  });
}
