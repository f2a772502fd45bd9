import { type Attributes, type Json } from '../engine/attribute-path.rules.js';
import { isAzureWorld } from '../engine/network-match.rules.js';
import { flag, isUnknown, knownText, knownTexts, type NetworkIndex } from './network-index.js';
import type { NetworkInstance } from './reachability.js';
import { CLOSED, reachable, UNDECIDED, type Verdict, type Verdicts } from './verdict.js';

const CLUSTER = 'azurerm_kubernetes_cluster';
/** Databases with firewall rules of their own, and how the rules name them. */
const DATABASES: Readonly<Record<string, { rule: string; via: string }>> = {
  azurerm_mssql_server: { rule: 'azurerm_mssql_firewall_rule', via: 'server_id' },
  azurerm_sql_server: { rule: 'azurerm_sql_firewall_rule', via: 'server_name' },
  azurerm_postgresql_server: { rule: 'azurerm_postgresql_firewall_rule', via: 'server_name' },
  azurerm_postgresql_flexible_server: {
    rule: 'azurerm_postgresql_flexible_server_firewall_rule',
    via: 'server_id',
  },
  azurerm_mysql_server: { rule: 'azurerm_mysql_firewall_rule', via: 'server_name' },
  azurerm_mysql_flexible_server: { rule: 'azurerm_mysql_flexible_server_firewall_rule', via: 'server_name' },
  azurerm_mariadb_server: { rule: 'azurerm_mariadb_firewall_rule', via: 'server_name' },
};

export const SERVICE_TYPES = [
  CLUSTER,
  ...Object.entries(DATABASES).flatMap(([type, { rule }]) => [type, rule]),
];

/** Services with an endpoint of their own: API servers and databases. */
export function judgeServices(network: NetworkIndex, verdicts: Verdicts): void {
  for (const one of network.ofTypes(CLUSTER)) verdicts.set(one.ref, cluster(one));
  for (const [type, { rule, via }] of Object.entries(DATABASES)) {
    const rules = network.ofTypes(rule);
    const owners = new Map(
      rules.map((one) => [one.ref, network.find(knownText(one.attributes, via) ?? '', type)?.ref]),
    );
    for (const { ref, attributes } of network.ofTypes(type)) {
      const own = rules.filter((one) => owners.get(one.ref) === ref);
      const verdict = database(attributes, own);
      for (const each of [ref, ...own.map((one) => one.ref)]) verdicts.set(each, verdict);
    }
  }
}

/** ARM ids are compared without case. */
export function idOf(attributes: Json, path: string): string | undefined {
  return knownText(attributes, path)?.toLowerCase();
}

/** The name at the end of an ARM id. */
export function shortOf(id: string | undefined): string | undefined {
  return id?.split('/').at(-1);
}

function database(attributes: Attributes, rules: readonly NetworkInstance[]): Verdict {
  if (flag(attributes, 'public_network_access_enabled') === false) return CLOSED;
  if (knownText(attributes, 'delegated_subnet_id') !== undefined) return CLOSED;
  const open = rules.find((rule) => {
    const start = knownText(rule.attributes, 'start_ip_address');
    return start !== undefined && isAzureWorld(start);
  });
  if (open !== undefined)
    return reachable([shortOf(knownText(open.attributes, 'id')), shortOf(knownText(attributes, 'id'))]);
  const isUnclear =
    isUnknown(attributes, 'public_network_access_enabled') ||
    rules.some((rule) => isUnknown(rule.attributes, 'start_ip_address'));
  return isUnclear ? UNDECIDED : CLOSED;
}

/** The API server, unless it is private or admits known ranges only. */
function cluster({ attributes }: NetworkInstance): Verdict {
  if (flag(attributes, 'private_cluster_enabled') === true) return CLOSED;
  const paths = ['api_server_authorized_ip_ranges', 'api_server_access_profile.0.authorized_ip_ranges'];
  if (['private_cluster_enabled', ...paths].some((path) => isUnknown(attributes, path))) return UNDECIDED;
  const ranges = paths.flatMap((path) => knownTexts(attributes, path));
  const isOpen = ranges.length === 0 || ranges.some(isAzureWorld);
  return isOpen ? reachable([shortOf(knownText(attributes, 'id'))], '443') : CLOSED;
}
