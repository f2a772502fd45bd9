import { DECIMAL_TIERS } from '../component.js';
import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/{resources,providers/terraform}/azure/{cdn_endpoint,frontdoor*}.go (Apache-2.0).

const CDN_SKUS: Record<string, string> = {
  standard_akamai: 'Akamai',
  standard_microsoft: 'Microsoft',
  standard_verizon: 'Standard Verizon',
  premium_verizon: 'Premium Verizon',
};
const FREE_RULES = 5;

const BANDS: readonly (readonly [label: string, from: number, to: number | undefined])[] = [
  ['first 10TB', 0, 10_000],
  ['next 40TB', 10_000, 50_000],
  ['next 100TB', 50_000, 150_000],
  ['next 350TB', 150_000, 500_000],
  ['next 500TB', 500_000, 1_000_000],
  ['next 4000TB', 1_000_000, 5_000_000],
  ['over 5000TB', 5_000_000, undefined],
];

function cdnEndpoint(r: ResourceDraft): void {
  const { attributes } = r;
  const profile = r.linked('azurerm_cdn_profile', attributes.text('profile_name'));
  const sku = profile?.text('sku');
  if (sku === undefined) r.log.note('profile_name');
  const name = CDN_SKUS[(sku ?? '').toLowerCase()] ?? sku ?? 'unknown';
  const data = r.usage('monthly_outbound_gb');
  outboundBands(r, name, data);
  const optimization = attributes.computed.text('optimization_type') ?? '';
  if (optimization === 'DynamicSiteAcceleration' && name !== 'Microsoft')
    r.perUse('Acceleration outbound data transfer', 'GB', data, { tierScale: DECIMAL_TIERS });
  if (name === 'Microsoft') rulesEngine(r);
}

/** One component for each band that the outbound data reaches; the first one always. */
function outboundBands(r: ResourceDraft, sku: string, data: Decimal | undefined): void {
  for (const [index, [label, from, to]] of BANDS.entries()) {
    const part = data && (to === undefined ? data : data.atMost(to)).minus(Decimal.of(from));
    if (index > 0 && part?.isMore(0) !== true) continue;
    r.perUse(`Outbound data transfer (${sku}, ${label})`, 'GB', part?.atLeast(0));
  }
}

function rulesEngine(r: ResourceDraft): void {
  const { attributes } = r;
  const rules = attributes.blocks('delivery_rule').length + attributes.blocks('global_delivery_rule').length;
  if (rules > FREE_RULES) r.monthly('Rules engine rules (over 5)', 'rules', rules - FREE_RULES);
  if (rules > 0)
    r.perUse('Rules engine requests', '1M requests', r.usage('monthly_rules_engine_requests', 1_000_000));
}

const DOOR_REGIONS: readonly [usage: string, name: string][] = [
  ['north_america_europe_africa', 'North America, Europe and Africa'],
  ['asia_pacific', 'Asia Pacific (including Japan)'],
  ['south_america', 'South America'],
  ['australia', 'Australia'],
  ['india', 'India'],
  ['us_gov', 'US Gov'],
];
const FREE_HOSTS = 100;
const RULES_IN_FEE = 5;

function frontDoor(r: ResourceDraft): void {
  const { attributes } = r;
  const rules = attributes.blocks('routing_rule').filter((rule) => rule.flag('enabled') !== false).length;
  r.hours('Routing rules (first 5 rules)', { count: Math.min(rules, RULES_IN_FEE) });
  if (rules > RULES_IN_FEE) r.hours('Routing rules (per additional rule)', { count: rules - RULES_IN_FEE });
  const hosts = attributes.blocks('frontend_endpoint').length;
  if (hosts > FREE_HOSTS) r.monthly('Frontend hosts (over 100)', 'hosts', hosts - FREE_HOSTS);
  r.perUse('Inbound data transfer', 'GB', r.usage('monthly_inbound_data_transfer_gb'));
  const outbound = r.usageIn('monthly_outbound_data_transfer_gb');
  const given = DOOR_REGIONS.some(([usage]) => outbound(usage) !== undefined);
  for (const [usage, name] of DOOR_REGIONS) {
    if (given ? outbound(usage) === undefined : usage !== 'north_america_europe_africa') continue;
    r.part(
      () =>
        r.perUse(name, 'GB', outbound(usage), {
          key: `frontdoor/outbound-data-transfer/${usage}`,
          tierScale: DECIMAL_TIERS,
        }),
      'Outbound data transfer / ',
    );
  }
}

function policy(r: ResourceDraft): void {
  const { attributes } = r;
  r.monthly('Policy', 'months', 1);
  const rules = attributes.blocks('custom_rule').filter((rule) => rule.flag('enabled') !== false).length;
  if (rules > 0) {
    r.monthly('Custom rules', 'rules', rules);
    r.perUse('Custom rule requests', '1M requests', r.usage('monthly_custom_rule_requests', 1_000_000));
  }
  const managed = attributes.blocks('managed_rule').length;
  if (managed > 0) {
    r.monthly('Managed rulesets', 'rulesets', managed);
    r.perUse(
      'Managed ruleset requests',
      '1M requests',
      r.usage('monthly_managed_ruleset_requests', 1_000_000),
    );
  }
}

export const azureCdn: Rules = {
  azurerm_cdn_endpoint: cdnEndpoint,
  azurerm_frontdoor: frontDoor,
  azurerm_frontdoor_firewall_policy: policy,
};
