import { ApiPropertyOptional } from '@nestjs/swagger';
import { Allow, IsOptional, IsString, Matches } from 'class-validator';
import { PageLimit, PageToken } from '../../../platform/http/index.js';
import type { SnapshotTrigger } from '../entities/cost.entities.js';

const TAGS = { type: 'object' as const, additionalProperties: { type: 'string' as const } };
const FREE_FORM = { type: 'object' as const, additionalProperties: true };

/** A total in another currency than the one of the answer; the two are never added. */
export class OtherCurrencyView {
  /** ISO code */
  currency: string;
  /** cost of 730 hours */
  monthly_cost: string;
  /** cost of one hour */
  hourly_cost: string;
}

/** One priced part of an instance; amounts and quantities are exact decimals. */
export class CostComponentView {
  /** name of the component, such as `Instance usage (Linux/UNIX, on-demand, m5.large)` */
  name: string;
  /** what the quantity counts */
  unit: string;
  /** the price book's key, for `price-book show` */
  price_key: string;
  /** price of one unit; absent when the book has none */
  price?: string;
  /** ISO code */
  currency?: string;
  /** the region whose price was taken because the instance's own has none */
  price_region?: string;
  /** `derived` or `approximate (…)`, as the book marks the price */
  price_mark?: string;
  /** the quantity depends on use */
  usage_based?: boolean;
  /** units an hour */
  hourly_quantity?: string;
  /** units a month */
  monthly_quantity?: string;
  /** cost of one hour */
  hourly_cost?: string;
  /** cost of 730 hours */
  monthly_cost?: string;
  /** why there is no cost */
  gap?: 'no_price' | 'unknown_attribute' | 'no_usage';
  /** the gap in words */
  reason?: string;
}

export class InstanceCostView {
  /** address of the instance */
  address: string;
  /** key of a deposed object */
  deposed?: string;
  /** resource type */
  type: string;
  /** whether the type is known */
  supported: boolean;
  /** the type is known and costs nothing */
  no_price: boolean;
  /** `aws`, `azure`, `gcp`, else the provider's name */
  provider?: string;
  /** the region it is priced in */
  region?: string;
  /** the id that the cloud knows it by */
  cloud_resource_id?: string;
  @ApiPropertyOptional({ ...TAGS, description: 'tags or labels; sensitive ones are left out' })
  tags?: Record<string, string>;
  /** ISO code; of an instance with costs in several, the one that most components have */
  currency?: string;
  /** cost of 730 hours */
  monthly_cost?: string;
  /** cost of one hour */
  hourly_cost?: string;
  /** what the cost is made of */
  components: CostComponentView[];
}

export class StateCostsView {
  /** the snapshot */
  snapshot_id: string;
  /** when the snapshot was taken */
  calculated_at: string;
  /** always `estimate` */
  source: 'estimate';
  /** what started the snapshot */
  triggered_by: SnapshotTrigger;
  /** ISO code: the one that most instances have */
  currency: string;
  /** cost of 730 hours */
  monthly_cost: string;
  /** cost of one hour */
  hourly_cost: string;
  /** totals in further currencies */
  other_currencies?: OtherCurrencyView[];
  /** managed instances, deposed objects included */
  resource_count: number;
  /** instances of known types, free ones included */
  supported_count: number;
  /** instances that cost something, all of it known */
  priced_count: number;
  /** priced instances of those that are not free, in percent */
  coverage_percent: number;
  /** version of the price book */
  price_book: string;
  /** why a state that cannot be read was priced as empty */
  error_message?: string;
  /** the instances by address: all of them, or a page with `limit` */
  instance_costs: InstanceCostView[];
  /** present when there are more */
  next_page?: string;
}

export class UnsupportedInstanceView {
  /** address of the instance */
  address: string;
  /** key of a deposed object */
  deposed?: string;
  /** resource type */
  type: string;
  /** `aws`, `azure`, `gcp`, else the provider's name */
  provider?: string;
  /** whether the type is known */
  supported: boolean;
  /** the type is known and costs nothing */
  no_price: boolean;
  /** why the instance has no price: its type, or the first component without a price or quantity */
  reason: string;
}

export class UnsupportedCostsView {
  /** the snapshot */
  snapshot_id: string;
  /** when the snapshot was taken */
  calculated_at: string;
  /** the instances that are not priced, by address */
  resources: UnsupportedInstanceView[];
}

export class ListCostsQuery {
  /** token of the page to continue with */
  @PageToken()
  page?: string;
  @PageLimit(100, 1_000, 'instances of one page; without it all are answered')
  limit?: string;
}

const CURRENCY = 'ISO code of the currency to answer in; the one that most instances have when absent';

export class TenantCostsQuery {
  /** adds the breakdown by this tag */
  @IsOptional()
  @IsString()
  tag_key?: string;
  @ApiPropertyOptional({ description: CURRENCY })
  @IsOptional()
  @Matches(/^[A-Z]{3}$/, { message: 'currency must be an ISO code such as USD' })
  currency?: string;
}

export class TransactionCostsQuery {
  @ApiPropertyOptional({ description: CURRENCY })
  @IsOptional()
  @Matches(/^[A-Z]{3}$/, { message: 'currency must be an ISO code such as USD' })
  currency?: string;
}

export class CostHistoryQuery {
  @ApiPropertyOptional({
    type: String,
    description: 'RFC 3339 timestamp; default the 30 days that end with `to`',
  })
  @Allow()
  from?: unknown;
  @ApiPropertyOptional({ type: String, description: 'RFC 3339 timestamp; default now' })
  @Allow()
  to?: unknown;
  @ApiPropertyOptional({
    type: String,
    enum: ['provider', 'type', 'tag'],
    description: 'adds groups to each point',
  })
  @Allow()
  group_by?: unknown;
  @ApiPropertyOptional({ type: String, description: 'the tag to group by' })
  @Allow()
  tag_key?: unknown;
  @ApiPropertyOptional({ description: CURRENCY })
  @IsOptional()
  @Matches(/^[A-Z]{3}$/, { message: 'currency must be an ISO code such as USD' })
  currency?: string;
}

/** One row of a breakdown. */
export class CostBreakdownView {
  /** name of the provider or type, or value of the tag; `untagged` for instances without the tag */
  name: string;
  /** managed instances, deposed objects included */
  resource_count: number;
  /** cost of 730 hours */
  monthly_cost?: string;
  /** cost of one hour */
  hourly_cost?: string;
}

export class StateCostRowView {
  /** the state */
  state_id: string;
  /** name of the state */
  state_name: string;
  /** workspace of the state */
  workspace: string;
  /** cost of 730 hours */
  monthly_cost?: string;
  /** cost of one hour */
  hourly_cost?: string;
  /** priced instances of those that are not free, in percent */
  coverage_percent: number;
  /** managed instances, deposed objects included */
  resource_count: number;
  /** instances of known types, free ones included */
  supported_count: number;
  /** when its latest snapshot was taken */
  calculated_at: string;
}

export class TenantCostsView {
  /** managed instances, deposed objects included */
  resource_count: number;
  /** instances of known types, free ones included */
  supported_count: number;
  /** instances that cost something, all of it known */
  priced_count: number;
  /** priced instances of those that are not free, in percent */
  coverage_percent: number;
  /** ISO code; absent when nothing was priced yet */
  currency?: string;
  /** cost of 730 hours */
  monthly_cost?: string;
  /** cost of one hour */
  hourly_cost?: string;
  /** totals in further currencies */
  other_currencies?: OtherCurrencyView[];
  /** dearest first */
  by_provider: CostBreakdownView[];
  /** dearest first */
  by_type: CostBreakdownView[];
  /** with `tag_key`, dearest first */
  by_tag: CostBreakdownView[];
  /** states with a snapshot, dearest first */
  states: StateCostRowView[];
}

export class CostGroupView {
  /** name of the provider or type, or value of the tag */
  name: string;
  /** cost of 730 hours */
  monthly_cost?: string;
  /** cost of one hour */
  hourly_cost?: string;
}

export class CostPointView {
  /** the day, UTC */
  date: string;
  /** absent before anything was priced */
  monthly_cost?: string;
  /** cost of one hour */
  hourly_cost?: string;
  /** with `group_by` */
  groups: CostGroupView[];
}

export class CostHistoryView {
  /** ISO code; absent when nothing was priced */
  currency?: string;
  /** ISO codes of further currencies in the window */
  other_currencies?: string[];
  /** one for each day, oldest first */
  points: CostPointView[];
}

export class TagKeysView {
  /** keys of the tags of priced instances, sorted */
  tag_keys: string[];
}

export class UsageView {
  @ApiPropertyOptional({
    description: 'version of the format, as it was given',
    oneOf: [{ type: 'string' }, { type: 'number' }],
  })
  @Allow()
  version?: unknown;
  @ApiPropertyOptional({ ...FREE_FORM, description: 'usage by resource type' })
  @Allow()
  resource_type_default_usage?: unknown;
  @ApiPropertyOptional({ ...FREE_FORM, description: 'usage by address; `[*]` stands for any key' })
  @Allow()
  resource_usage?: unknown;
}
