import { Decimal } from '../decimal.js';
import { describeUse, onlyUse } from '../per-use.js';
import type { ResourceDraft, Rules } from '../resource-draft.js';

// Components: infracost/infracost@95ba4f49 internal/resources/aws/{cloudwatch_*,cloudtrail,config_*}.go (Apache-2.0).

const ANOMALY = [
  'LessThanLowerOrGreaterThanUpperThreshold',
  'LessThanLowerThreshold',
  'GreaterThanUpperThreshold',
];
/** An anomaly alarm counts for its metric and both bounds. */
const ANOMALY_METRICS = 3;
const STANDARD_PERIOD_S = 60;

function alarm(r: ResourceDraft): void {
  const { attributes } = r;
  const queries = attributes.blocks('metric_query').map((query) => query.first('metric'));
  const metrics = queries.filter((metric) => metric !== undefined);
  const period = (metrics[0] ?? attributes).computed.number('period') ?? Decimal.of(300);
  const resolution = period.isLess(STANDARD_PERIOD_S) ? 'High' : 'Standard';
  if (ANOMALY.includes(attributes.text('comparison_operator') ?? '')) {
    r.monthly(`${resolution} resolution anomaly detection`, 'alarms', ANOMALY_METRICS);
    return;
  }
  r.monthly(`${resolution} resolution`, 'alarm metrics', Math.max(metrics.length, 1));
}

function trail(r: ResourceDraft): void {
  const copies = r.usage('monthly_additional_management_events', 100_000);
  if (r.attributes.flag('include_global_service_events') !== false)
    r.perUse('Management events (additional copies)', '100k events', copies);
  r.perUse('Data events', '100k events', r.usage('monthly_data_events', 100_000));
  if (r.attributes.blocks('insight_selector').length > 0)
    r.perUse('Insight events', '100k events', r.usage('monthly_insight_events', 100_000));
}

function ruleEvaluations(r: ResourceDraft): void {
  r.perUse('Rule evaluations', 'evaluations', r.usage('monthly_rule_evaluations'), {
    key: 'config_config_rule/rule-evaluations',
    tierScale: { perUnit: 1, letters: 'KMB' },
  });
}

export const awsCloudwatch: Rules = {
  aws_cloudwatch_log_group: onlyUse(
    ['Data ingested', 'GB', 'monthly_data_ingested_gb'],
    ['Archival Storage', 'GB', 'storage_gb'],
    ['Insights queries data scanned', 'GB', 'monthly_data_scanned_gb'],
  ),
  aws_cloudwatch_metric_alarm: alarm,
  aws_cloudwatch_dashboard: (r) => r.monthly('Dashboard', 'months', 1),
  aws_cloudtrail: trail,
  aws_config_config_rule: ruleEvaluations,
  aws_config_organization_custom_rule: ruleEvaluations,
  aws_config_organization_managed_rule: ruleEvaluations,
  aws_config_configuration_recorder: (r) =>
    describeUse(r, [
      ['Config items', 'records', 'monthly_config_items'],
      ['Custom config items', 'records', 'monthly_custom_config_items'],
    ]),
};
