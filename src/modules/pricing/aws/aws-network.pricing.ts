import { DECIMAL_TIERS } from '../component.js';
import { Decimal } from '../decimal.js';
import { describeUse, onlyUse } from '../per-use.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/{vpc_endpoint,vpn_connection,ec2_*,dx_*,route53_*,
// globalaccelerator_*,networkfirewall_firewall}.go (Apache-2.0).

function vpcEndpoint(r: ResourceDraft): void {
  const type = r.attributes.text('vpc_endpoint_type') ?? 'Gateway';
  if (type === 'Gateway') return;
  const subnets = r.attributes.texts('subnet_ids').length;
  r.part(() => {
    // Without subnets the endpoint stands in one zone.
    r.hours(`Endpoint (${type})`, { count: Math.max(subnets, 1) });
  });
  const data = r.usage('monthly_data_processed_gb');
  if (type === 'Interface')
    r.perUse('Data processed', 'GB', data, {
      key: 'vpc_endpoint/data-processed-interface',
      tierScale: DECIMAL_TIERS,
    });
  else r.perUse('Data processed', 'GB', data, { key: 'vpc_endpoint/data-processed-gateway-load-balancer' });
}

function vpnConnection(r: ResourceDraft): void {
  r.hours('VPN connection');
  if (!r.attributes.has('transit_gateway_id')) return;
  r.hours('Transit gateway attachment', { key: 'transit-gateway/attachment' });
  r.perUse('Data processed', 'GB', r.usage('monthly_data_processed_gb'), {
    key: 'transit-gateway/data-processed',
  });
}

function transitAttachment(r: ResourceDraft): void {
  r.hours('Transit gateway attachment', { key: 'transit-gateway/attachment' });
  r.perUse('Data processed', 'GB', r.usage('monthly_data_processed_gb'), {
    key: 'transit-gateway/data-processed',
  });
}

const DX_TYPES: Record<string, string> = { dedicated: 'dedicated', hosted: 'hosted' };

function dxConnection(r: ResourceDraft): void {
  const { attributes } = r;
  const kind = DX_TYPES[r.usageText('dx_connection_type') ?? 'dedicated'] ?? 'dedicated';
  const bandwidth = attributes.required('bandwidth');
  const location = attributes.required('location');
  r.hours('DX connection', { key: `dx_connection/port-hours/${kind}/${bandwidth}` });
  const out = r.usage('monthly_outbound_region_to_dx_location_gb');
  const byRegion = r.input.usage?.['monthly_outbound_from_region_to_dx_connection_location'];
  if (typeof byRegion === 'object' && !(byRegion instanceof Decimal)) {
    for (const [region, gigabytes] of Object.entries(byRegion)) {
      const from = region.replaceAll('_', '-');
      r.perUse(
        `Outbound data transfer (from ${from}, to ${location})`,
        'GB',
        gigabytes instanceof Decimal ? gigabytes : undefined,
      );
    }
  } else if (out) r.perUse(`Outbound data transfer (from ${r.region}, to ${location})`, 'GB', out);
}

function record(r: ResourceDraft): void {
  if (r.attributes.blocks('alias').length > 0) return;
  describeUse(r, [
    ['Standard queries', '1M queries', 'monthly_standard_queries', 1_000_000],
    ['Latency based routing queries', '1M queries', 'monthly_latency_based_queries', 1_000_000],
    ['Geo DNS queries', '1M queries', 'monthly_geo_queries', 1_000_000],
  ]);
}

/** Checks of AWS endpoints are cheaper: `endpoint_type` of the usage says so. */
function healthCheck(r: ResourceDraft): void {
  const { attributes } = r;
  const where = (r.usageText('endpoint_type') ?? 'aws') === 'aws' ? 'aws' : 'outside-aws';
  const type = attributes.required('type');
  if (type === 'CALCULATED' || type === 'CLOUDWATCH_METRIC' || type === 'RECOVERY_CONTROL') {
    r.monthly('Health check', 'months', 1, { key: 'route53_health_check/health-check/aws' });
    return;
  }
  r.monthly('Health check', 'months', 1, { key: `route53_health_check/health-check/${where}` });
  r.part(() => {
    const https = type.startsWith('HTTPS') ? 1 : 0;
    const match = type.endsWith('STR_MATCH') ? 1 : 0;
    const fast = attributes.number('request_interval')?.compare(10) === 0 ? 1 : 0;
    const latency = attributes.isTrue('measure_latency') ? 1 : 0;
    const features = https + match + fast + latency;
    if (features > 0)
      r.monthly('Optional features', 'months', features, {
        key: `route53_health_check/optional-features/${where}`,
      });
  });
}

function resolverEndpoint(r: ResourceDraft): void {
  r.part(() => r.hours('Resolver endpoints', { count: r.attributes.blocks('ip_address').length }));
  r.perUse('DNS queries', '1M queries', r.usage('monthly_queries', 1_000_000));
}

const ACCELERATOR_REGIONS: readonly [usage: string, name: string][] = [
  ['us', 'US, Mexico, Canada'],
  ['europe', 'Europe'],
  ['south_africa', 'South Africa, Kenya'],
  ['middle_east', 'Middle East'],
  ['south_america', 'South America'],
  ['south_korea', 'South Korea'],
  ['asia_pacific', 'Asia Pacific'],
  ['australia', 'Australia, New Zealand'],
  ['india', 'India, Indonesia, Philippines, Thailand'],
];

/** The premium is billed for the direction that carries more. */
function endpointGroup(r: ResourceDraft): void {
  const inbound = r.usageIn('monthly_inbound_data_transfer_gb');
  const outbound = r.usageIn('monthly_outbound_data_transfer_gb');
  const given = ACCELERATOR_REGIONS.some(([usage]) => inbound(usage) ?? outbound(usage));
  for (const [usage, name] of ACCELERATOR_REGIONS) {
    const into = inbound(usage);
    const out = outbound(usage);
    if (given && !into && !out) continue;
    if (!given && usage !== 'us') continue;
    r.group(name, () => {
      if (out && (into === undefined || out.isMore(into))) r.perUse('Outbound DT-premium fee', 'GB', out);
      else r.perUse('Inbound DT-premium fee', 'GB', into);
    });
  }
}

export const awsNetwork: Rules = {
  aws_vpc_endpoint: vpcEndpoint,
  aws_vpn_connection: vpnConnection,
  aws_ec2_transit_gateway_vpc_attachment: transitAttachment,
  aws_ec2_transit_gateway_peering_attachment: (r) =>
    r.hours('Transit gateway attachment', { key: 'transit-gateway/attachment' }),
  aws_ec2_client_vpn_endpoint: (r) => r.hours('Connection'),
  aws_ec2_client_vpn_network_association: (r) => r.hours('Endpoint association'),
  aws_ec2_traffic_mirror_session: (r) => r.hours('Traffic mirror'),
  aws_dx_connection: dxConnection,
  aws_dx_gateway_association: transitAttachment,
  aws_route53_zone: (r) => r.monthly('Hosted zone', 'months', 1),
  aws_route53_record: record,
  aws_route53_health_check: healthCheck,
  aws_route53_resolver_endpoint: resolverEndpoint,
  aws_globalaccelerator_accelerator: (r) => r.hours('Fixed fee'),
  aws_globalaccelerator_endpoint_group: endpointGroup,
  aws_networkfirewall_firewall: (r) => {
    r.hours('Network Firewall Endpoint', {
      count: Math.max(r.attributes.blocks('subnet_mapping').length, 1),
    });
    r.perUse('Data Processed', 'GB', r.usage('monthly_data_processed_gb'));
  },
  aws_flow_log: onlyUse(),
};
