import type { CurrencyTotal, ItemClass } from '../entities/cost.entities.js';
import type { ItemCounts } from '../instances/item-sums.js';

/** One side of a difference: an instance as it is, or as it will be. */
export interface DeltaSide {
  class: ItemClass;
  priced: boolean;
  /** amounts are exact decimals as text */
  costs: { currency: string; monthly: string; hourly: string }[];
  tags?: Record<string, string>;
}

/** An instance that a plan adds, removes, prices otherwise or tags otherwise. */
export interface DeltaEntry {
  address: string;
  deposed?: string;
  type: string;
  provider: string;
  region?: string;
  current?: DeltaSide;
  planned?: DeltaSide;
}

/** A plan's delta as it is stored: every currency of it, so that an answer can be made in any. */
export interface StoredDelta {
  snapshot_id: string;
  state_id: string;
  state_name: string;
  current: { counts: ItemCounts; totals: CurrencyTotal[] };
  planned: { counts: ItemCounts; totals: CurrencyTotal[] };
  entries: DeltaEntry[];
}
