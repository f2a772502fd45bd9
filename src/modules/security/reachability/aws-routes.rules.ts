import type { Json } from '../engine/attribute-path.rules.js';
import { isWorldCidr } from '../engine/network-match.rules.js';
import { blocks, knownText, type NetworkIndex } from './network-index.js';

export const ROUTE_TYPES = [
  ...['aws_subnet', 'aws_default_subnet', 'aws_vpc', 'aws_default_vpc', 'aws_route', 'aws_route_table'],
  ...['aws_default_route_table', 'aws_route_table_association', 'aws_main_route_table_association'],
] as const;
const TABLE_TYPES = ['aws_route_table', 'aws_default_route_table'] as const;

/** The internet gateway that a subnet routes to; `none` is shown by its table, `unknown` where no table is known. */
export type InternetRoute = { gateway: string } | 'none' | 'unknown';

/** Routes of subnets to internet gateways: by the subnet's association, else by the main table of its VPC. */
export function routesOf(network: NetworkIndex): (subnetId: string | undefined) => InternetRoute {
  const gateways = new Map<string, string>();
  const tables = new Set<string>();
  const mainTables = new Map<string, string>();
  const associated = new Map<string, string>();
  const addRoute = (table: string, route: Json): void => {
    const world = ['cidr_block', 'ipv6_cidr_block', 'destination_cidr_block', 'destination_ipv6_cidr_block'];
    if (!world.some((path) => isWorldCidr(knownText(route, path) ?? ''))) return;
    const gateway = knownText(route, 'gateway_id');
    if (gateway?.startsWith('igw-') === true) gateways.set(table, gateway);
  };
  for (const { type, attributes } of network.ofTypes(...TABLE_TYPES)) {
    const id = knownText(attributes, 'id') ?? knownText(attributes, 'default_route_table_id');
    if (id === undefined) continue;
    tables.add(id);
    for (const route of blocks(attributes, 'route')) addRoute(id, route);
    const vpc = knownText(attributes, 'vpc_id');
    if (type === 'aws_default_route_table' && vpc !== undefined) mainTables.set(vpc, id);
  }
  for (const { attributes } of network.ofTypes('aws_route')) {
    const table = knownText(attributes, 'route_table_id');
    if (table !== undefined) addRoute(table, attributes);
  }
  for (const { attributes } of network.ofTypes('aws_vpc', 'aws_default_vpc')) {
    const [id, main] = [knownText(attributes, 'id'), knownText(attributes, 'main_route_table_id')];
    if (id !== undefined && main !== undefined && !mainTables.has(id)) mainTables.set(id, main);
  }
  for (const { attributes } of network.ofTypes('aws_main_route_table_association')) {
    const [vpc, table] = [knownText(attributes, 'vpc_id'), knownText(attributes, 'route_table_id')];
    if (vpc !== undefined && table !== undefined) mainTables.set(vpc, table);
  }
  for (const { attributes } of network.ofTypes('aws_route_table_association')) {
    const [subnet, table] = [knownText(attributes, 'subnet_id'), knownText(attributes, 'route_table_id')];
    if (subnet !== undefined && table !== undefined) associated.set(subnet, table);
  }
  return (subnetId) => {
    const subnet =
      subnetId === undefined ? undefined : network.find(subnetId, 'aws_subnet', 'aws_default_subnet');
    const vpc = subnet && knownText(subnet.attributes, 'vpc_id');
    const table = (subnetId && associated.get(subnetId)) ?? (vpc && mainTables.get(vpc));
    if (table === undefined || table === '') return 'unknown';
    const gateway = gateways.get(table);
    if (gateway !== undefined) return { gateway };
    return tables.has(table) ? 'none' : 'unknown';
  };
}
