import type { AttributeReader } from '../attribute-reader.js';
import { Decimal } from '../decimal.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/azure/{app_service_*,service_plan,function_app,logic_app_*,
// static_site,signalr_service}.go (Apache-2.0).

function servicePlan(r: ResourceDraft): void {
  const { attributes } = r;
  const sku = attributes.required('sku_name');
  const count = attributes.computed.number('worker_count') ?? Decimal.ONE;
  const system = attributes.required('os_type').toLowerCase().startsWith('windows') ? 'windows' : 'linux';
  if (/^(Y1|F1|EP\d|WS\d)$/i.test(sku)) return;
  r.hours(`Instance usage (${sku})`, { count, key: `app_service_plan/${system}/${sku.toLowerCase()}` });
}

function oldPlan(r: ResourceDraft): void {
  const { attributes } = r;
  const sku = attributes.block('sku');
  const size = sku.required('size');
  const kind = (attributes.text('kind') ?? 'Windows').toLowerCase();
  // Plans of functions are billed with the functions.
  if (/^(Y1|F1|EP\d|WS\d)$/i.test(size) || kind === 'elastic' || kind === 'functionapp') return;
  const count = sku.computed.number('capacity') ?? Decimal.ONE;
  const system = kind === 'linux' ? 'linux' : 'windows';
  const name = /^P\d$/i.test(size) ? `${size}v1` : size;
  r.hours(`Instance usage (${name})`, { count, key: `app_service_plan/${system}/${name.toLowerCase()}` });
}

/** https://learn.microsoft.com/azure/azure-functions/functions-premium-plan (2026-07) */
const PREMIUM_SIZES: Record<string, { cpus: number; memory: string }> = {
  ep1: { cpus: 1, memory: '3.5' },
  ep2: { cpus: 2, memory: '7' },
  ep3: { cpus: 4, memory: '14' },
};

function functionApp(r: ResourceDraft): void {
  const plan = planOf(r);
  const sku = (
    plan?.computed.text('sku_name') ??
    plan?.block('sku').computed.text('size') ??
    ''
  ).toUpperCase();
  const premium = PREMIUM_SIZES[sku.toLowerCase()];
  if (premium) {
    const instances = r.usage('instances') ?? Decimal.ONE;
    r.monthly(`vCPU (${sku})`, 'vCPU', instances.times(premium.cpus), { key: 'function_app/premium-vcpu' });
    r.monthly(`Memory (${sku})`, 'GB', instances.times(Decimal.of(premium.memory)), {
      key: 'function_app/premium-memory',
    });
    return;
  }
  // On a plan of its own a function costs nothing more.
  if (sku !== '' && sku !== 'Y1') return;
  const executions = r.usage('monthly_executions');
  const memory = (r.usage('memory_mb') ?? Decimal.of(128))
    .dividedBy(128)
    .ceiling()
    .times(128)
    .dividedBy(1024);
  const duration = (r.usage('execution_duration_ms') ?? Decimal.of(100)).atLeast(100).dividedBy(1000);
  const used = r.usage('execution_duration_ms') && executions?.times(memory).times(duration);
  r.perUse('Execution time', 'GB-seconds', used, { key: 'function_app/execution-time' });
  r.perUse('Executions', '1M requests', executions?.dividedBy(1_000_000), { key: 'function_app/executions' });
}

function planOf(r: ResourceDraft): AttributeReader | undefined {
  const id = r.attributes.text('service_plan_id') ?? r.attributes.text('app_service_plan_id');
  return r.linked('azurerm_service_plan', id) ?? r.linked('azurerm_app_service_plan', id);
}

const WORKFLOW_SIZES: Record<string, { cpus: number; memory: string }> = {
  WS1: { cpus: 1, memory: '3.5' },
  WS2: { cpus: 2, memory: '7' },
  WS3: { cpus: 4, memory: '14' },
};

function logicApp(r: ResourceDraft): void {
  const plan = planOf(r);
  const sku = (
    r.usageText('sku') ??
    plan?.computed.text('sku_name') ??
    plan?.block('sku').computed.text('size') ??
    ''
  ).toUpperCase();
  const size = WORKFLOW_SIZES[sku];
  r.part(() => {
    if (size === undefined) r.log.note('app_service_plan_id');
    const label = size === undefined ? 'unknown SKU' : sku;
    r.monthly(`Workflow vCore (${label})`, 'vCore', size?.cpus ?? 0, { key: 'logic_app_standard/vcore' });
    r.monthly(`Workflow memory (${label})`, 'GB', Decimal.of(size?.memory ?? '0'), {
      key: 'logic_app_standard/memory',
    });
  });
  r.perUse('Standard connectors', 'calls', r.usage('monthly_standard_connector_calls'));
  r.perUse('Enterprise connectors', 'calls', r.usage('monthly_enterprise_connector_calls'));
}

/** An address binding is billed, a name binding is free. */
function sslBinding(r: ResourceDraft): void {
  if ((r.attributes.text('ssl_state') ?? '').toUpperCase().startsWith('IPBASED'))
    r.monthly('IP SSL certificate', 'months', 1, { key: 'app_service/ip-ssl' });
}

function environment(r: ResourceDraft): void {
  const tier = r.attributes.text('pricing_tier') ?? 'I1';
  const system = (r.usageText('operating_system') ?? 'linux').toLowerCase();
  r.hours('Stamp fee', { key: `app_service_environment/stamp-fee/${system}` });
  r.hours(`Instance usage (${tier})`, {
    key: `app_service_environment/instance-usage/${system}/${tier.toLowerCase()}`,
  });
}

function staticSite(r: ResourceDraft): void {
  if ((r.attributes.text('sku_tier') ?? r.attributes.text('sku_size') ?? 'Free').toLowerCase() !== 'standard')
    return;
  r.monthly('Static Web App (Standard)', 'months', 1, { key: 'static_site/standard' });
  const over = r.usage('monthly_bandwidth_gb')?.minus(Decimal.of(100)).atLeast(0);
  r.perUse('Bandwidth (over 100GB)', 'GB', over, { key: 'static_site/bandwidth' });
}

export const azureWeb: Rules = {
  azurerm_service_plan: servicePlan,
  azurerm_app_service_plan: oldPlan,
  azurerm_function_app: functionApp,
  azurerm_linux_function_app: functionApp,
  azurerm_windows_function_app: functionApp,
  azurerm_logic_app_standard: logicApp,
  azurerm_logic_app_integration_account: (r) => {
    const sku = r.attributes.text('sku_name') ?? 'free';
    if (sku.toLowerCase() === 'free') return;
    r.hours(`Integration Account (${sku.charAt(0).toUpperCase()}${sku.slice(1).toLowerCase()})`);
  },
  azurerm_app_service_certificate_binding: sslBinding,
  azurerm_app_service_custom_hostname_binding: sslBinding,
  azurerm_app_service_certificate_order: (r) => {
    const kind = (r.attributes.text('product_type') ?? 'Standard').toLowerCase();
    // Bought by the year.
    r.monthly(`SSL certificate (${kind})`, 'years', Decimal.ONE.dividedBy(12), {
      key: `app_service_certificate_order/ssl-certificate-${kind}`,
    });
  },
  azurerm_app_service_environment: environment,
  azurerm_static_site: staticSite,
  azurerm_static_web_app: staticSite,
};
