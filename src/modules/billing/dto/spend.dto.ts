import { Allow } from 'class-validator';
import { PageLimit, PageToken } from '../../../platform/http/index.js';

export class SpendQuery {
  /** ISO code of the currency to sum up; default the one with the most lines */
  @Allow()
  currency?: string;
}

export class ListUnmanagedQuery extends SpendQuery {
  @PageToken()
  page?: string;
  @PageLimit(100, 1000)
  limit?: string;
}

export class BilledInstanceView {
  /** address of the instance */
  address: string;
  /** what was billed for it */
  billed_cost: string;
  /** billed lines that were summed */
  line_count: number;
  /** ISO 4217 code of the sum */
  currency?: string;
  /** first day with a billed line */
  window_start?: string;
  /** last day with a billed line */
  window_end?: string;
}

export class StateSpendView {
  /** what was billed for the instances of the state */
  billed_cost: string;
  /** billed lines that were summed */
  line_count: number;
  /** ISO 4217 code of the sums; absent when nothing was billed */
  currency?: string;
  /** currencies of further lines, which are not in the sums */
  other_currencies?: string[];
  /** when bills and instances were matched */
  computed_at?: string;
  /** first day with a billed line */
  window_start?: string;
  /** last day with a billed line */
  window_end?: string;
  /** instances that something was billed for, by address */
  resources: BilledInstanceView[];
}

/** The three parts of a bill, and their sum. */
export class SpendPartsView {
  /** sum of all billed lines */
  total_cost: string;
  /** billed for instances of the tenant's states */
  attributed_cost: string;
  /** billed for resources that no state of the tenant holds */
  unmanaged_cost: string;
  /** billed without naming a resource: tax, support, credits, purchases */
  unallocated_cost: string;
  /** attributed part of the total */
  coverage_percent: number;
  /** billed lines that were summed */
  line_count: number;
  /** lines of the attributed part */
  attributed_count: number;
  /** lines of the unmanaged part */
  unmanaged_count: number;
  /** lines of the unallocated part */
  unallocated_count: number;
  /** ISO 4217 code of the sums; absent when nothing was billed */
  currency?: string;
  /** first day with a billed line */
  window_start?: string;
  /** last day with a billed line */
  window_end?: string;
}

export class ProviderSpendView extends SpendPartsView {
  /** provider that the lines name */
  provider: string;
}

export class AttributionView extends SpendPartsView {
  /** currencies of further lines, which are not in the sums */
  other_currencies?: string[];
  /** when bills and instances were matched */
  computed_at?: string;
  /** version of the rules that match ids */
  matcher_version: number;
  /** the same of each provider, by name */
  by_provider: ProviderSpendView[];
}

export class UnmanagedResourceView {
  /** id as the bill spells it */
  resource_id: string;
  /** provider that the lines name */
  provider: string;
  /** what was billed for it */
  billed_cost: string;
  /** billed lines that were summed */
  line_count: number;
  /** ISO 4217 code of the sum */
  currency?: string;
  /** region that the lines name */
  region_id?: string;
  /** type that the lines name */
  resource_type?: string;
  /** service that the lines name */
  service_name?: string;
}

export class UnmanagedListView {
  /** billed resources that no state holds, dearest first */
  results: UnmanagedResourceView[];
  /** currencies of further lines, which are not listed */
  other_currencies?: string[];
  next_page?: string;
}
