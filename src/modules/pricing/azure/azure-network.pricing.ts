import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import { describeUse } from '../per-use.js';
import { DECIMAL_TIERS } from '../component.js';
import type { ResourceDraft, Rule, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/providers/terraform/azure/{public_ip*,lb*,application_gateway,
// nat_gateway,firewall,bastion_host,virtual_network_*,vpn_*,express_route_*,private_*,dns_*,traffic_manager_*}.go (Apache-2.0).

function publicIp(r: ResourceDraft): void {
  const { attributes } = r;
  const method = attributes.required('allocation_method').toLowerCase();
  const sku = (attributes.text('sku') ?? 'Standard').toLowerCase();
  const tier = (attributes.text('sku_tier') ?? 'Regional').toLowerCase();
  r.hours(`IP address (${method}, ${tier})`, { key: `public_ip/${sku}/${method}/${tier}` });
}

/** A basic balancer is free; the rules are resources of their own. */
function balancer(r: ResourceDraft): void {
  if ((r.attributes.text('sku') ?? 'Standard').toLowerCase() === 'basic') return;
  r.perUse('Data processed', 'GB', r.usage('monthly_data_processed_gb'), {
    key: 'lb/data-processed-standard',
  });
}

function balancerRule(r: ResourceDraft): void {
  const balancerId = r.attributes.text('loadbalancer_id');
  const sku = r.linked('azurerm_lb', balancerId)?.text('sku');
  if (sku?.toLowerCase() === 'basic') return;
  r.hours('Rule usage', { key: 'lb_rule/rule-usage' });
}

function applicationGateway(r: ResourceDraft): void {
  const sku = r.attributes.block('sku');
  const name = sku.required('name');
  const parts = name.toLowerCase().split('_');
  const scaling = r.attributes.first('autoscale_configuration');
  const capacity = sku.computed.number('capacity') ?? scaling?.number('min_capacity') ?? Decimal.ONE;
  const waf = parts[0] === 'waf';
  if (parts.at(-1) === 'v2') {
    r.hours(`Gateway usage (${waf ? 'WAF v2' : 'basic v2'})`);
    const units = (r.usage('capacity_units') ?? capacity).times(730);
    r.monthly(`V2 capacity units (${waf ? 'WAF' : 'basic'})`, 'CU', units);
    return;
  }
  const size = parts.at(-1) ?? '';
  r.hours(`Gateway usage (${waf ? 'WAF' : 'basic'}, ${size})`, { count: capacity });
  r.perUse('Data processed', 'GB', r.usage('monthly_data_processed_gb'), {
    key: `application_gateway/data-processed/${size}`,
  });
}

function gateway(r: ResourceDraft): void {
  const { attributes } = r;
  const sku = attributes.required('sku');
  const kind = (attributes.text('type') ?? 'Vpn').toLowerCase();
  if (kind === 'expressroute') {
    r.hours(`ExpressRoute gateway (${sku})`);
    return;
  }
  r.hours(`VPN gateway (${sku})`);
  if (sku.toLowerCase() !== 'basic') {
    const over = r.usage('p2s_connection')?.minus(Decimal.of(128)).atLeast(0);
    r.perUse('VPN gateway P2S tunnels (over 128)', 'tunnel', over);
  }
  r.perUse('VPN gateway data tranfer', 'GB', r.usage('monthly_data_transfer_gb'));
}

function gatewayConnection(r: ResourceDraft): void {
  const { attributes } = r;
  if (!/ipsec/i.test(attributes.required('type'))) return;
  const sku = r
    .linked('azurerm_virtual_network_gateway', attributes.text('virtual_network_gateway_id'))
    ?.text('sku');
  if (sku?.toLowerCase() === 'basic') return;
  r.hours(sku === undefined ? 'VPN gateway' : `VPN gateway (${sku})`, {
    key: `virtual_network_gateway_connection/${(sku ?? 'unknown').toLowerCase()}`,
  });
}

function peering(r: ResourceDraft): void {
  const { attributes } = r;
  const remote = r.linked('azurerm_virtual_network', attributes.text('remote_virtual_network_id'));
  const own = r.linked('azurerm_virtual_network', attributes.text('virtual_network_name'));
  const from = locationOf(own) ?? r.region;
  const to = locationOf(remote) ?? from;
  const scope = from === to ? 'local' : 'global';
  const data = r.usage('monthly_data_transfer_gb');
  r.perUse('Inbound data transfer', 'GB', data, {
    key: `virtual_network_peering/${scope}/inbound`,
    ...(to === from ? {} : { region: to }),
  });
  r.perUse('Outbound data transfer', 'GB', data, { key: `virtual_network_peering/${scope}/outbound` });
}

function locationOf(network: AttributeReader | undefined): string | undefined {
  return network?.text('location')?.toLowerCase().replaceAll(' ', '');
}

const dnsQueries: Rule = (r) =>
  r.perUse('DNS queries', '1M queries', r.usage('monthly_queries', 1_000_000), {
    key: `${r.family}/dns-queries`,
  });
/** Private zones have no records of the last two kinds. */
const PRIVATE_RECORDS = ['a', 'aaaa', 'cname', 'mx', 'ptr', 'srv', 'txt'];
const records: Rules = {};
for (const record of [...PRIVATE_RECORDS, 'caa', 'ns'])
  records[`azurerm_dns_${record}_record`] = ['dns_record', dnsQueries];
for (const record of PRIVATE_RECORDS)
  records[`azurerm_private_dns_${record}_record`] = ['private_dns_record', dnsQueries];

function firewall(r: ResourceDraft): void {
  const { attributes } = r;
  const tier =
    (attributes.text('sku_tier') ?? 'Standard').toLowerCase() === 'premium' ? 'Premium' : 'Standard';
  const hub = attributes.blocks('virtual_hub').length > 0;
  const name = hub
    ? tier === 'Premium'
      ? 'Premium Secured Virtual Hub'
      : 'Standard Secure Virtual Hub'
    : tier;
  r.hours(`Deployment (${name})`);
  r.perUse('Data processed', 'GB', r.usage('monthly_data_processed_gb'), {
    key: `firewall/data-processed/${name.toLowerCase().replaceAll(' ', '-')}`,
  });
}

function endpoint(r: ResourceDraft): void {
  const profile = r.linked('azurerm_traffic_manager_profile', r.attributes.text('profile_id'));
  const fast =
    (profile?.block('monitor_config').computed.number('interval_in_seconds') ?? Decimal.of(30)).compare(
      10,
    ) === 0;
  const place = r.region.startsWith('germany') ? 'Germany' : 'Global';
  const where = r.input.type.includes('external') ? 'external' : 'azure';
  r.monthly(`Basic health check (${place})`, 'hours', 730, {
    key: `traffic_manager/basic-health-check/${place.toLowerCase()}/${where}`,
  });
  if (fast)
    r.monthly(`Fast interval health checks add-on (${place})`, 'hours', 730, {
      key: `traffic_manager/fast-interval/${place.toLowerCase()}/${where}`,
    });
}

const units =
  (name: string, attribute: string, unit: number, label: string): Rule =>
  (r) => {
    const count = r.attributes.computed.number(attribute) ?? Decimal.ONE;
    r.monthly(`${name} (${label})`, 'scale units', count.times(unit));
  };

/** The first ten tests are free; prices fall with their number. */
function connectionMonitor(r: ResourceDraft): void {
  const tests = r.usage('tests');
  const bands = [
    ['10-240,010', 10, 240_010],
    ['240,010-750,010', 240_010, 750_010],
    ['750,010-1,000,010', 750_010, 1_000_010],
    ['1,000,010+', 1_000_010, undefined],
  ] as const;
  for (const [index, [label, from, to]] of bands.entries()) {
    const part = tests && (to === undefined ? tests : tests.atMost(to)).minus(Decimal.of(from));
    if (index === 0 || part?.isMore(0) === true) r.perUse(`Tests (${label})`, 'tests', part?.atLeast(0));
  }
}

export const azureNetwork: Rules = {
  azurerm_public_ip: publicIp,
  azurerm_public_ip_prefix: (r) => r.hours('IP prefix'),
  azurerm_lb: balancer,
  azurerm_lb_rule: balancerRule,
  azurerm_lb_outbound_rule: balancerRule,
  azurerm_application_gateway: applicationGateway,
  azurerm_nat_gateway: (r) => {
    r.hours('NAT gateway');
    r.perUse('Data processed', 'GB', r.usage('monthly_data_processed_gb'));
  },
  azurerm_firewall: firewall,
  azurerm_bastion_host: (r) => {
    r.hours('Bastion host');
    r.perUse('Outbound data transfer', 'GB', r.usage('monthly_outbound_data_gb'), {
      tierScale: DECIMAL_TIERS,
    });
  },
  azurerm_virtual_network_gateway: gateway,
  azurerm_virtual_network_gateway_connection: gatewayConnection,
  azurerm_virtual_network_peering: peering,
  azurerm_virtual_hub: (r) => {
    if ((r.attributes.text('sku') ?? 'Standard').toLowerCase() === 'basic') return;
    r.hours('Deployment');
    r.perUse('Data processed', 'GB', r.usage('monthly_data_processed_gb'));
  },
  azurerm_vpn_gateway: units('S2S scale units', 'scale_unit', 1, '500 Mbps'),
  azurerm_vpn_gateway_connection: (r) => r.hours('S2S Connections'),
  azurerm_point_to_site_vpn_gateway: (r) => {
    units('P2S scale units', 'scale_unit', 1, '500 Mbps')(r);
    r.perUse('P2S connections', 'hours', r.usage('monthly_p2s_connections_hrs'));
  },
  azurerm_express_route_gateway: units('ER scale units', 'scale_units', 1, '2 Gbps'),
  azurerm_express_route_connection: (r) => r.hours('ER Connections'),
  azurerm_private_endpoint: (r) => {
    r.hours('Private endpoint', { unit: 'hour' });
    r.perUse('Inbound data processed', 'GB', r.usage('monthly_inbound_data_processed_gb'), {
      tierScale: DECIMAL_TIERS,
    });
    r.perUse('Outbound data processed', 'GB', r.usage('monthly_outbound_data_processed_gb'), {
      tierScale: DECIMAL_TIERS,
    });
  },
  azurerm_dns_zone: (r) => r.monthly('Hosted zone', 'months', 1),
  azurerm_private_dns_zone: (r) => r.monthly('Hosted zone', 'months', 1),
  ...records,
  azurerm_private_dns_resolver_inbound_endpoint: (r) => r.monthly('Inbound endpoint', 'months', 1),
  azurerm_private_dns_resolver_outbound_endpoint: (r) => r.monthly('Outbound endpoint', 'months', 1),
  azurerm_private_dns_resolver_dns_forwarding_ruleset: (r) => r.monthly('Forwarding ruleset', 'months', 1),
  azurerm_traffic_manager_azure_endpoint: endpoint,
  azurerm_traffic_manager_external_endpoint: endpoint,
  azurerm_traffic_manager_nested_endpoint: endpoint,
  azurerm_traffic_manager_profile: (r) => {
    if ((r.attributes.text('profile_status') ?? 'Enabled').toLowerCase() !== 'enabled') return;
    describeUse(r, [['DNS queries', '1M queries', 'monthly_dns_queries', 1_000_000]]);
    if (r.attributes.isTrue('traffic_view_enabled'))
      describeUse(r, [['Traffic view', '1M data points', 'monthly_traffic_view_data_points', 1_000_000]]);
  },
  azurerm_network_ddos_protection_plan: (r) => {
    r.hours('DDoS Protection Plan');
    r.perUse('Overage charges', 'resource', r.usage('overage_amount'));
  },
  azurerm_network_watcher: (r) => {
    const over = r.usage('monthly_diagnostic_checks')?.minus(Decimal.of(1000)).atLeast(0);
    r.perUse('Network diagnostic tool (over 1,000 checks)', 'checks', over, {
      key: 'network_watcher/diagnostic-checks',
    });
  },
  azurerm_network_connection_monitor: connectionMonitor,
};
