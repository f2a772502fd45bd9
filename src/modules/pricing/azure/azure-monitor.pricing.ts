import { Decimal } from '../decimal.js';
import { describeUse, onlyUse } from '../per-use.js';
import type { AttributeReader } from '../attribute-reader.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components and defaults: infracost/infracost@95ba4f49 internal/resources/azure/{monitor_*,application_insights*,log_analytics_workspace,
// automation_*,network_watcher_flow_log}.go (Apache-2.0).

function insights(r: ResourceDraft): void {
  const data = r.usage('monthly_data_ingested_gb');
  r.perUse('Data ingested', 'GB', data);
  const days = r.attributes.computed.number('retention_in_days');
  // 90 days are included; longer ones are billed for every 30 days more.
  if (days?.isMore(90) !== true) return;
  const months = days.minus(Decimal.of(90)).dividedBy(30);
  r.perUse(`Data retention (${days.toString()} days)`, 'GB', data?.times(months), {
    key: 'application_insights/data-retention',
  });
}

function workspace(r: ResourceDraft): void {
  const { attributes } = r;
  const sku = attributes.text('sku') ?? 'PerGB2018';
  if (sku.toLowerCase() === 'free') return;
  const data = r.usage('monthly_log_data_ingestion_gb');
  const reserved =
    attributes.computed.number('reservation_capacity_in_gb_per_day') ??
    attributes.computed.number('reservation_capcity_in_gb_per_day');
  if (sku.toLowerCase() === 'capacityreservation' && reserved) {
    const hundreds = reserved.dividedBy(100);
    r.monthly('Log data ingestion', '100 GB (per day)', hundreds.times(30), {
      key: 'log_analytics_workspace/log-data-ingestion/capacity-reservation',
    });
  } else
    r.perUse('Log data ingestion', 'GB', data, { key: 'log_analytics_workspace/log-data-ingestion/per-gb' });
  const days = attributes.computed.number('retention_in_days') ?? Decimal.of(31);
  const kept = r.usage('monthly_additional_log_data_retention_gb');
  if (days.isMore(31) || kept) r.perUse('Log data retention', 'GB', kept);
  describeUse(r, [
    ['Log data export', 'GB', 'monthly_log_data_export_gb'],
    ['Basic log data ingestion', 'GB', 'monthly_basic_log_data_ingestion_gb'],
    ['Basic log search queries', 'GB searched', 'monthly_basic_log_search_gb'],
    ['Archive data', 'GB', 'monthly_archive_data_gb'],
    ['Archive data restored', 'GB', 'monthly_archive_data_restored_gb'],
    ['Archive data searched', 'GB', 'monthly_archive_data_searched_gb'],
  ]);
  const sentinel = r.usage('monthly_sentinel_data_ingestion_gb');
  if (sentinel)
    r.perUse('Sentinel data ingestion', 'GB', sentinel, {
      key: 'log_analytics_workspace/sentinel-data-ingestion/per-gb',
    });
}

function metricAlert(r: ResourceDraft): void {
  const { attributes } = r;
  if (attributes.flag('enabled') === false) return;
  const scopes = Math.max(attributes.texts('scopes').length, 1);
  const series = (blocks: AttributeReader[]) => blocks.reduce((sum, block) => sum + seriesOf(block), 0);
  const fixed = series(attributes.blocks('criteria'));
  const dynamic = series(attributes.blocks('dynamic_criteria'));
  if (fixed + dynamic > 0) r.monthly('Metrics monitoring', 'time-series', (fixed + dynamic) * scopes);
  if (dynamic > 0) r.monthly('Dynamic threshold monitoring', 'time-series', dynamic * scopes);
}

/** Every combination of dimension values is a series. */
function seriesOf(criteria: AttributeReader): number {
  return criteria
    .blocks('dimension')
    .reduce((product, dimension) => product * Math.max(dimension.texts('values').length, 1), 1);
}

function scheduledRule(r: ResourceDraft): void {
  const { attributes } = r;
  if (attributes.flag('enabled') === false) return;
  const given = attributes.number('frequency');
  if (given === undefined) attributes.required('frequency');
  // Billed in steps of five minutes.
  const minutes = given?.isLess(10) === true ? 5 : given?.isLess(15) === true ? 10 : 15;
  r.monthly(`Log alerts monitoring (${minutes} minute frequency)`, 'rule', 1, {
    key: `monitor/log-alert/${minutes}`,
  });
}

function scheduledRule2(r: ResourceDraft): void {
  const { attributes } = r;
  if (attributes.flag('enabled') === false) return;
  const [, digits = '', unit = ''] =
    /^PT(\d+)([MH])$/.exec(attributes.required('evaluation_frequency')) ?? [];
  const minutes = String(Number(digits) * (unit === 'H' ? 60 : 1));
  const scopes = Math.max(attributes.texts('scopes').length, 1);
  const series = attributes.blocks('criteria').reduce((sum, block) => sum + seriesOf(block), 0) * scopes;
  r.monthly(`Log alerts monitoring (${minutes} minute frequency)`, 'rule', 1, {
    key: `monitor/log-alert/${minutes}`,
  });
  if (series > 1)
    r.monthly(`Additional time-series monitoring (${minutes} minute frequency)`, 'time-series', series - 1);
}

function actionGroup(r: ResourceDraft): void {
  const { attributes } = r;
  const times = r.usage('monthly_notifications');
  const add = (name: string, unit: string, blocks: AttributeReader[], key: string) => {
    if (blocks.length === 0) return;
    r.perUse(`${name} (${blocks.length})`, unit, times?.times(blocks.length), {
      key: `monitor_action_group/${key}`,
    });
  };
  add('Email notifications', 'emails', attributes.blocks('email_receiver'), 'email');
  add('ITSM connectors', 'events', attributes.blocks('itsm_receiver'), 'itsm');
  add('Push notifications', 'notifications', attributes.blocks('azure_app_push_receiver'), 'push');
  const hooks = attributes.blocks('webhook_receiver');
  const secure = hooks.filter((hook) => hook.blocks('aad_auth').length > 0);
  add('Secure web hooks', 'notifications', secure, 'secure-webhook');
  add(
    'Web hooks',
    'notifications',
    hooks.filter((hook) => !secure.includes(hook)),
    'webhook',
  );
  byCountry(r, { blocks: attributes.blocks('sms_receiver'), group: 'SMS messages', unit: 'messages', times });
  byCountry(r, { blocks: attributes.blocks('voice_receiver'), group: 'Voice calls', unit: 'calls', times });
}

function byCountry(
  r: ResourceDraft,
  of: { blocks: AttributeReader[]; group: string; unit: string; times: Decimal | undefined },
): void {
  const codes = of.blocks.map((block) => block.required('country_code'));
  r.part(() => {
    for (const code of new Set(codes)) {
      const count = codes.filter((each) => each === code).length;
      r.perUse(`Country code ${code} (${count})`, of.unit, of.times?.times(count), {
        key: `monitor_action_group/${of.unit}/${code}`,
      });
    }
  }, `${of.group} / `);
}

function flowLog(r: ResourceDraft): void {
  const { attributes } = r;
  if (attributes.flag('enabled') === false) return;
  const data = r.usage('monthly_logs_collected_gb');
  r.perUse('Network logs collected (over 5GB)', 'GB', data?.minus(Decimal.of(5)).atLeast(0));
  const traffic = attributes.first('traffic_analytics');
  if (traffic?.isTrue('enabled') !== true) return;
  const minutes = traffic.computed.number('interval_in_minutes')?.toString() ?? '60';
  r.perUse(`Traffic Analytics data processed (${minutes} min interval)`, 'GB', data);
}

const JOBS = [
  'Job run time',
  'minutes',
  'monthly_job_run_mins',
  1,
  { key: 'automation/job-run-time' },
] as const;
const NODES = [
  'Non-azure config nodes',
  'nodes',
  'non_azure_config_node_count',
  1,
  { key: 'automation/non-azure-config-nodes' },
] as const;
const WATCHER = [
  'Watcher',
  'hours',
  'monthly_watcher_hrs',
  1,
  { key: 'automation_watcher/watcher' },
] as const;

function webTest(r: ResourceDraft): void {
  const { attributes } = r;
  if (attributes.flag('enabled') === false) return;
  const seconds = attributes.number('frequency') ?? Decimal.of(300);
  const perMonth = seconds.isZero() ? Decimal.ZERO : Decimal.of(730 * 3600).dividedBy(seconds);
  const locations = Math.max(attributes.texts('geo_locations').length, 1);
  r.monthly(
    `Standard web test (${seconds.toString()} second frequency)`,
    'tests',
    perMonth.times(locations),
    { key: 'application_insights_standard_web_test/test' },
  );
}

export const azureMonitor: Rules = {
  azurerm_application_insights: insights,
  azurerm_application_insights_web_test: (r) => {
    const { attributes } = r;
    if (attributes.required('kind').toLowerCase() === 'multistep' && attributes.isTrue('enabled'))
      r.monthly('Multi-step web test', 'test', 1);
  },
  azurerm_application_insights_standard_web_test: webTest,
  azurerm_log_analytics_workspace: workspace,
  azurerm_monitor_metric_alert: metricAlert,
  azurerm_monitor_scheduled_query_rules_alert: scheduledRule,
  azurerm_monitor_scheduled_query_rules_alert_v2: scheduledRule2,
  azurerm_monitor_action_group: actionGroup,
  azurerm_monitor_data_collection_rule: onlyUse([
    'Metrics ingestion',
    '10M samples',
    'monthly_custom_metrics_samples',
    10_000_000,
  ]),
  azurerm_monitor_diagnostic_setting: onlyUse(['Platform logs processed', 'GB', 'monthly_platform_log_gb']),
  azurerm_network_watcher_flow_log: flowLog,
  azurerm_automation_account: onlyUse(JOBS, NODES, WATCHER),
  azurerm_automation_dsc_configuration: onlyUse(NODES),
  azurerm_automation_dsc_nodeconfiguration: onlyUse(NODES),
  azurerm_automation_job_schedule: onlyUse(JOBS),
  azurerm_automation_watcher: (r) => r.hours('Watcher'),
};
