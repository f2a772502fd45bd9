import { type Attributes, valueAt } from '../engine/attribute-path.rules.js';
import type { AwsNetwork } from './aws-network.js';
import { nameOf } from './aws-network.js';
import { groupsOf } from './aws-security-groups.rules.js';
import { flag, isUnknown, knownText, knownTexts } from './network-index.js';
import type { NetworkInstance } from './reachability.js';
import { CLOSED, UNDECIDED, type Verdict } from './verdict.js';

const HOSTS = ['aws_instance', 'aws_network_interface'] as const;
const ADDRESSES = ['aws_eip', 'aws_eip_association'] as const;
/** Types with `publicly_accessible`, the resource that names their subnets, and the attribute that names it. */
const DATABASES: Readonly<Record<string, { group: string; via: string } | undefined>> = {
  aws_db_instance: { group: 'aws_db_subnet_group', via: 'db_subnet_group_name' },
  aws_rds_cluster_instance: { group: 'aws_db_subnet_group', via: 'db_subnet_group_name' },
  aws_redshift_cluster: { group: 'aws_redshift_subnet_group', via: 'cluster_subnet_group_name' },
  aws_dms_replication_instance: {
    group: 'aws_dms_replication_subnet_group',
    via: 'replication_subnet_group_id',
  },
  aws_mq_broker: undefined,
};
const CLUSTERS = ['aws_rds_cluster'] as const;
const SUBNET_GROUPS = [
  'aws_db_subnet_group',
  'aws_redshift_subnet_group',
  'aws_dms_replication_subnet_group',
];

export const HOST_TYPES = [...HOSTS, ...ADDRESSES, ...Object.keys(DATABASES), ...CLUSTERS, ...SUBNET_GROUPS];

/** Instances, interfaces and databases: a public address, a group that admits the world, and a route. */
export function judgeHosts(network: AwsNetwork): void {
  const elasticIps = elasticIpsOf(network);
  for (const one of network.ofTypes(...HOSTS)) network.set(one, host(network, one, elasticIps));
  for (const one of network.ofTypes(...Object.keys(DATABASES))) network.set(one, database(network, one));
}

/** Elastic addresses by the id of what they are attached to or associated with. */
function elasticIpsOf(network: AwsNetwork): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  for (const { attributes } of network.ofTypes(...ADDRESSES)) {
    const address =
      knownText(attributes, 'public_ip') ?? knownText(attributes, 'allocation_id') ?? 'elastic-ip';
    for (const path of ['instance', 'instance_id', 'network_interface', 'network_interface_id']) {
      const owner = knownText(attributes, path);
      if (owner !== undefined) found.set(owner, address);
    }
  }
  return found;
}

function host(
  network: AwsNetwork,
  { attributes }: NetworkInstance,
  elasticIps: ReadonlyMap<string, string>,
): Verdict {
  const id = knownText(attributes, 'id');
  const address = addressOf(network, attributes, (id !== undefined && elasticIps.get(id)) || undefined);
  if (address === 'unknown') return UNDECIDED;
  if (address === undefined) return CLOSED;
  return network.way(id, groupsOf(attributes), [knownText(attributes, 'subnet_id')]);
}

function addressOf(
  network: AwsNetwork,
  attributes: Attributes,
  elastic: string | undefined,
): string | undefined {
  if (elastic !== undefined) return elastic;
  const own = knownText(attributes, 'public_ip') ?? knownTexts(attributes, 'ipv6_addresses')[0];
  if (own !== undefined) return own;
  const asked = flag(attributes, 'associate_public_ip_address');
  if (asked === true) return 'public address';
  if (isUnknown(attributes, 'public_ip')) return 'unknown';
  // A running instance says by an empty public_ip that it got none.
  if (asked === false || valueAt(attributes, 'public_ip') === '') return undefined;
  const subnet = network.find(knownText(attributes, 'subnet_id'), 'aws_subnet', 'aws_default_subnet');
  const isAssigned = subnet !== undefined && flag(subnet.attributes, 'map_public_ip_on_launch') === true;
  return isAssigned ? 'public address' : undefined;
}

function database(network: AwsNetwork, instance: NetworkInstance): Verdict {
  const { type, attributes } = instance;
  if (isUnknown(attributes, 'publicly_accessible')) return UNDECIDED;
  if (flag(attributes, 'publicly_accessible') !== true) return CLOSED;
  const cluster = network.find(knownText(attributes, 'cluster_identifier'), ...CLUSTERS);
  const groups = groupsOf(type === 'aws_rds_cluster_instance' ? (cluster?.attributes ?? {}) : attributes);
  const subnets = DATABASES[type];
  const named =
    subnets && (knownText(attributes, subnets.via) ?? knownText(cluster?.attributes ?? {}, subnets.via));
  const group = subnets && network.find(named, subnets.group);
  const own = knownTexts(attributes, 'subnet_ids');
  return network.way(nameOf(instance), groups, group ? knownTexts(group.attributes, 'subnet_ids') : own);
}
