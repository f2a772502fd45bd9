import type { CostSnapshotEntity, SnapshotTrigger } from '../entities/cost.entities.js';
import type { ItemCounts } from '../instances/item-sums.js';
import { type CurrencyAmount, DEFAULT_CURRENCY, totalOf } from '../instances/totals.rules.js';
import type { CostedState } from './costed-rows.queries.js';

interface SnapshotFacts {
  id: string;
  state: CostedState;
  seq: number;
  triggeredBy: SnapshotTrigger;
  txId: string | null;
  priceBook: string;
  at: Date;
  counts: ItemCounts;
  /** the currency that most instances have first */
  totals: readonly CurrencyAmount[];
}

export function snapshotOf({ counts, totals, state, ...of }: SnapshotFacts): CostSnapshotEntity {
  const [main, ...others] = totals;
  return {
    id: of.id,
    stateId: state.id,
    tenantId: state.tenantId,
    kind: 'current',
    seq: of.seq,
    txId: of.txId,
    triggeredBy: of.triggeredBy,
    version: state.version,
    currency: main?.currency ?? DEFAULT_CURRENCY,
    monthlyCost: main?.monthly.toAmount() ?? '0.00',
    hourlyCost: main?.hourly.toAmount() ?? '0.00',
    otherTotals: others.map(totalOf),
    resourceCount: counts.resources,
    freeCount: counts.free,
    supportedCount: counts.supported,
    pricedCount: counts.priced,
    priceBook: of.priceBook,
    errorMessage: state.graphError,
    calculatedAt: of.at,
  };
}
