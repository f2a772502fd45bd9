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

const WORLD_PATHS = [
  'cidr_block',
  'ipv6_cidr_block',
  'destination_cidr_block',
  'destination_ipv6_cidr_block',
] as const;

/** Routes of subnets to internet gateways: by the subnet's association, else by the main table of its VPC. */
export function routesOf(network: NetworkIndex): (subnetId: string | undefined) => InternetRoute {
  const gateways = gatewaysOf(network);
  const tables = new Set(
    network.ofTypes(...TABLE_TYPES).flatMap(({ attributes }) => tableId(attributes) ?? []),
  );
  const mainTables = mainTablesOf(network);
  const associated = new Map(
    network
      .ofTypes('aws_route_table_association')
      .flatMap(({ attributes }) => pairOf(attributes, 'subnet_id', 'route_table_id')),
  );
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

function tableId(attributes: Json): string | undefined {
  return knownText(attributes, 'id') ?? knownText(attributes, 'default_route_table_id');
}

/** Two known texts as an entry of a map; empty when one is not known. */
function pairOf(attributes: Json, key: string, value: string): [string, string][] {
  const [first, second] = [knownText(attributes, key), knownText(attributes, value)];
  return first === undefined || second === undefined ? [] : [[first, second]];
}

/** The internet gateway of each route table that routes the world to one. */
function gatewaysOf(network: NetworkIndex): Map<string, string> {
  const gateways = new Map<string, string>();
  const addRoute = (table: string | undefined, route: Json): void => {
    if (table === undefined || !WORLD_PATHS.some((path) => isWorldCidr(knownText(route, path) ?? ''))) return;
    const gateway = knownText(route, 'gateway_id');
    if (gateway?.startsWith('igw-') === true) gateways.set(table, gateway);
  };
  for (const { attributes } of network.ofTypes(...TABLE_TYPES))
    for (const route of blocks(attributes, 'route')) addRoute(tableId(attributes), route);
  for (const { attributes } of network.ofTypes('aws_route'))
    addRoute(knownText(attributes, 'route_table_id'), attributes);
  return gateways;
}

/** The main route table of each VPC: an association goes before a default table, which goes before the VPC's own word. */
function mainTablesOf(network: NetworkIndex): Map<string, string> {
  const ofVpcs = network
    .ofTypes('aws_vpc', 'aws_default_vpc')
    .flatMap(({ attributes }) => pairOf(attributes, 'id', 'main_route_table_id'));
  const defaults = network.ofTypes('aws_default_route_table').flatMap(({ attributes }) => {
    const [vpc, table] = [knownText(attributes, 'vpc_id'), tableId(attributes)];
    return vpc === undefined || table === undefined ? [] : [[vpc, table] as [string, string]];
  });
  const associations = network
    .ofTypes('aws_main_route_table_association')
    .flatMap(({ attributes }) => pairOf(attributes, 'vpc_id', 'route_table_id'));
  return new Map([...ofVpcs.toReversed(), ...defaults, ...associations]);
}
