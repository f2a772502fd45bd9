import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { Events } from '../../../platform/events/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { PricingBasis } from '../books/pricing-bases.service.js';
import type { CostSnapshotEntity, CostStateEntity } from '../entities/cost.entities.js';
import { type ItemCounts, ItemSums } from '../instances/item-sums.js';
import { byCurrency, type CurrencyAmount, DEFAULT_CURRENCY, totalOf } from '../instances/totals.rules.js';
import { SnapshotTaken } from '../snapshots/snapshot-taken.event.js';
import { Snapshots } from '../snapshots/snapshots.store.js';
import { SumRows } from '../snapshots/sums.store.js';
import type { StoredDelta } from './cost-delta.js';
import { CostPlans, type PlanToPrice } from './cost-plans.store.js';
import { deltaEntries } from './delta-entries.rules.js';
import type { ComparedItem } from './plan-comparison.service.js';

export interface PricedPlan {
  txId: string;
  plan: PlanToPrice;
  state: CostStateEntity;
  basis: PricingBasis;
  comparison: readonly ComparedItem[];
}

/** Stores what a plan would cost: a planned snapshot with its totals, and the delta. */
@Injectable()
export class PlannedSnapshots {
  constructor(
    private readonly clock: Clock,
    private readonly secrets: Secrets,
    private readonly snapshots: Snapshots,
    private readonly sums: SumRows,
    private readonly plans: CostPlans,
    private readonly events: Events,
  ) {}

  /** In the transaction that holds the plan and the state's costs locked. */
  async store({ txId, plan, state, basis, comparison }: PricedPlan): Promise<void> {
    const latest = state.snapshotId === null ? null : await this.snapshots.find(state.snapshotId);
    const difference = new ItemSums();
    for (const { before, after } of comparison) {
      if (before) difference.add(before, -1);
      if (after) difference.add(after);
    }
    const providers = await this.sums.providers(state.stateId);
    const changed = [...difference.sums.values()].filter(({ dimension }) => dimension === 'p');
    const totals = byCurrency([...providers, ...changed]);
    const current = countsOf(latest);
    const planned = plus(current, difference.counts);
    const at = this.clock.now();
    const snapshot = plannedSnapshot({
      id: this.secrets.uuid(),
      txId,
      state,
      book: basis.book.version,
      at,
      counts: planned,
      totals,
    });
    const delta: StoredDelta = {
      snapshot_id: snapshot.id,
      state_id: state.stateId,
      state_name: plan.stateName,
      current: { counts: current, totals: byCurrency(providers).map(totalOf) },
      planned: { counts: planned, totals: totals.map(totalOf) },
      entries: deltaEntries(comparison),
    };
    await this.snapshots.insert(snapshot);
    await this.plans.complete(txId, delta, at);
    await this.events.publish(new SnapshotTaken(state.stateId, snapshot.id, 'planned', txId));
  }
}

function countsOf(snapshot: CostSnapshotEntity | null): ItemCounts {
  return {
    resources: snapshot?.resourceCount ?? 0,
    free: snapshot?.freeCount ?? 0,
    supported: snapshot?.supportedCount ?? 0,
    priced: snapshot?.pricedCount ?? 0,
  };
}

function plus(left: ItemCounts, right: ItemCounts): ItemCounts {
  return {
    resources: left.resources + right.resources,
    free: left.free + right.free,
    supported: left.supported + right.supported,
    priced: left.priced + right.priced,
  };
}

function plannedSnapshot(of: {
  id: string;
  txId: string;
  state: CostStateEntity;
  book: string;
  at: Date;
  counts: ItemCounts;
  totals: readonly CurrencyAmount[];
}): CostSnapshotEntity {
  const [main, ...others] = of.totals;
  return {
    id: of.id,
    stateId: of.state.stateId,
    tenantId: of.state.tenantId,
    kind: 'planned',
    seq: null,
    txId: of.txId,
    triggeredBy: 'preview',
    version: of.state.pricedVersion,
    currency: main?.currency ?? DEFAULT_CURRENCY,
    monthlyCost: main?.monthly.toAmount() ?? '0.00',
    hourlyCost: main?.hourly.toAmount() ?? '0.00',
    otherTotals: others.map(totalOf),
    resourceCount: of.counts.resources,
    freeCount: of.counts.free,
    supportedCount: of.counts.supported,
    pricedCount: of.counts.priced,
    priceBook: of.book,
    errorMessage: null,
    calculatedAt: of.at,
  };
}
