import { OtherCurrencyView } from './cost.dto.js';

export class CostComputingView {
  /** not computed yet */
  status: 'computing';
}

/** An instance that a plan adds, removes or makes cost something else. */
export class ResourceDeltaView {
  /** address of the instance after the plan */
  address: string;
  /** key of a deposed object */
  deposed?: string;
  /** resource type */
  type: string;
  /** what the plan does to the instance */
  change_kind: 'added' | 'removed' | 'changed';
  /** `aws`, `azure`, `gcp`, else the provider's name */
  provider?: string;
  /** the region it is priced in */
  region?: string;
  /** cost of 730 hours, now */
  current_monthly_cost?: string;
  /** cost of one hour, now */
  current_hourly_cost?: string;
  /** cost of 730 hours, under the plan */
  planned_monthly_cost?: string;
  /** cost of one hour, under the plan */
  planned_hourly_cost?: string;
  /** with its sign */
  delta_monthly_cost?: string;
  /** cost of one hour, with its sign */
  delta_hourly_cost?: string;
}

/** Totals of a whole state before and after; differences carry their sign. */
export class CostTotalsDeltaView {
  /** managed instances, deposed objects included, now */
  current_resource_count: number;
  /** managed instances, deposed objects included, under the plan */
  planned_resource_count: number;
  /** managed instances, deposed objects included, planned less current */
  delta_resource_count: number;
  /** instances of known types, free ones included, now */
  current_supported_count: number;
  /** instances of known types, free ones included, under the plan */
  planned_supported_count: number;
  /** instances of known types, free ones included, planned less current */
  delta_supported_count: number;
  /** instances that cost something, all of it known, now */
  current_priced_count: number;
  /** instances that cost something, all of it known, under the plan */
  planned_priced_count: number;
  /** instances that cost something, all of it known, planned less current */
  delta_priced_count: number;
  /** priced instances of those that are not free, in percent, now */
  current_coverage_percent: number;
  /** priced instances of those that are not free, in percent, under the plan */
  planned_coverage_percent: number;
  /** priced instances of those that are not free, in percent, planned less current */
  delta_coverage_percent: number;
  /** cost of 730 hours, now */
  current_monthly_cost?: string;
  /** cost of 730 hours, under the plan */
  planned_monthly_cost?: string;
  /** cost of 730 hours, with its sign */
  delta_monthly_cost?: string;
  /** cost of one hour, now */
  current_hourly_cost?: string;
  /** cost of one hour, under the plan */
  planned_hourly_cost?: string;
  /** cost of one hour, with its sign */
  delta_hourly_cost?: string;
}

export class StateDeltaView extends CostTotalsDeltaView {
  /** the state */
  state_id: string;
  /** name of the state */
  state_name: string;
  /** instances that are added, removed or cost something else */
  resources: ResourceDeltaView[];
}

/** One row of a breakdown of differences. */
export class DeltaBreakdownView {
  /** name of the provider or type, or value of the tag; `untagged` for instances without the tag */
  name: string;
  /** managed instances, deposed objects included, planned less current */
  delta_resource_count: number;
  /** cost of 730 hours, with its sign */
  delta_monthly_cost?: string;
  /** cost of one hour, with its sign */
  delta_hourly_cost?: string;
}

export class TagDeltaView {
  /** key of the tag */
  tag_key: string;
  /** rows by value of the tag, largest difference first */
  entries: DeltaBreakdownView[];
}

export class TransactionCostsView extends CostTotalsDeltaView {
  /** the transaction */
  tx_id: string;
  /** the snapshot */
  snapshot_id: string;
  /** when the delta was computed */
  calculated_at: string;
  /** ISO code */
  currency?: string;
  /** signed differences in further currencies */
  other_currencies?: OtherCurrencyView[];
  /** the states that the plan changes */
  states: StateDeltaView[];
  /** rows by provider, largest difference first */
  by_provider: DeltaBreakdownView[];
  /** rows by resource type, largest difference first */
  by_type: DeltaBreakdownView[];
  /** rows by tag */
  by_tag: TagDeltaView[];
}
