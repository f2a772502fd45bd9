import { OtherCurrencyView } from './cost.dto.js';

export class CostComputingView {
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
  change_kind: 'added' | 'removed' | 'changed';
  /** `aws`, `azure`, `gcp`, else the provider's name */
  provider?: string;
  /** the region it is priced in */
  region?: string;
  current_monthly_cost?: string;
  current_hourly_cost?: string;
  planned_monthly_cost?: string;
  planned_hourly_cost?: string;
  /** with its sign */
  delta_monthly_cost?: string;
  delta_hourly_cost?: string;
}

/** Totals of a whole state before and after; differences carry their sign. */
export class CostTotalsDeltaView {
  current_resource_count: number;
  planned_resource_count: number;
  delta_resource_count: number;
  current_supported_count: number;
  planned_supported_count: number;
  delta_supported_count: number;
  current_priced_count: number;
  planned_priced_count: number;
  delta_priced_count: number;
  current_coverage_percent: number;
  planned_coverage_percent: number;
  delta_coverage_percent: number;
  current_monthly_cost?: string;
  planned_monthly_cost?: string;
  delta_monthly_cost?: string;
  current_hourly_cost?: string;
  planned_hourly_cost?: string;
  delta_hourly_cost?: string;
}

export class StateDeltaView extends CostTotalsDeltaView {
  state_id: string;
  state_name: string;
  resources: ResourceDeltaView[];
}

/** One row of a breakdown of differences. */
export class DeltaBreakdownView {
  /** name of the provider or type, or value of the tag; `untagged` for instances without the tag */
  name: string;
  delta_resource_count: number;
  delta_monthly_cost?: string;
  delta_hourly_cost?: string;
}

export class TagDeltaView {
  tag_key: string;
  entries: DeltaBreakdownView[];
}

export class TransactionCostsView extends CostTotalsDeltaView {
  tx_id: string;
  snapshot_id: string;
  /** when the delta was computed */
  calculated_at: string;
  /** ISO code */
  currency?: string;
  /** signed differences in further currencies */
  other_currencies?: OtherCurrencyView[];
  states: StateDeltaView[];
  by_provider: DeltaBreakdownView[];
  by_type: DeltaBreakdownView[];
  by_tag: TagDeltaView[];
}
