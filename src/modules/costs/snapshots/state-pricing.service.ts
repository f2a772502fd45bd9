import { setImmediate as nextTurn } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Events } from '../../../platform/events/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { CostMetrics } from '../books/cost-metrics.js';
import { type PricingBasis, PricingBases } from '../books/pricing-bases.service.js';
import type { CostStateEntity } from '../entities/cost.entities.js';
import type { CostedState } from './costed-rows.queries.js';
import { ItemUpdates, type PricedScope } from './item-updates.service.js';
import { snapshotOf } from './snapshot-row.rules.js';
import { SnapshotTaken } from './snapshot-taken.event.js';
import { Snapshots } from './snapshots.store.js';
import { triggerOf } from './snapshot-trigger.rules.js';

export interface PricingRequest {
  readonly stateId: string;
  /** set: a snapshot is taken whether the state changed or not */
  readonly trigger?: 'manual' | 'scheduled';
}

/**
 * Prices one state: what changed since it was priced last, or all of it when book, settings or usage differ. All of it
 * is one transaction under a lock of the state, so that a crash leaves nothing and no two runs write the same rows.
 */
@Injectable()
export class StatePricing {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly secrets: Secrets,
    private readonly bases: PricingBases,
    private readonly snapshots: Snapshots,
    private readonly updates: ItemUpdates,
    private readonly metrics: CostMetrics,
    private readonly events: Events,
  ) {}

  /** Answers the id of the snapshot, or undefined when none was due, the state is gone or there is no price book. */
  async price(request: PricingRequest): Promise<string | undefined> {
    const rows = this.updates.rows;
    const tenantId = await rows.tenantOf(request.stateId);
    if (tenantId === undefined) return undefined;
    await nextTurn();
    return this.work.run(async () => {
      const progress = await this.snapshots.lock(request.stateId);
      // Read before the instances: what a write adds meanwhile is priced again after it.
      const state = await rows.state(request.stateId);
      const basis = await this.bases.ofState(tenantId, request.stateId);
      if (!progress || !state || !basis) return undefined;
      const scope = scopeOf(request, { state, progress, basis });
      if (scope === undefined) return undefined;
      return this.take(request, { state, progress, basis, scope });
    });
  }

  private async take(
    request: PricingRequest,
    of: { state: CostedState; progress: CostStateEntity; basis: PricingBasis; scope: PricedScope },
  ): Promise<string> {
    const { state, progress, basis, scope } = of;
    const stop = this.metrics.pricing.startTimer({ scope: scope.kind });
    const at = this.clock.now();
    const seq = progress.seq + 1;
    const newest = await this.updates.rows.newest(state.id, progress.pricedVersion);
    const { counts, regions, totals } = await this.updates.bring(
      { stateId: state.id, tenantId: state.tenantId, seq, at },
      { basis, scope, previous: progress },
    );
    const usageChanged = progress.seq > 0 && progress.usage !== basis.usageMark;
    const byItself = newest === undefined ? (usageChanged ? 'manual' : 'scheduled') : triggerOf(newest);
    const snapshot = snapshotOf({
      id: this.secrets.uuid(),
      state,
      seq,
      triggeredBy: request.trigger ?? byItself,
      txId: newest?.txId ?? null,
      priceBook: basis.book.version,
      at,
      counts,
      totals,
    });
    await this.snapshots.insert(snapshot);
    await this.snapshots.saveProgress({
      stateId: state.id,
      tenantId: state.tenantId,
      pricedVersion: state.version,
      // A state that could not be read is priced as a whole the next time.
      basis: state.graphError === null ? basis.mark : '',
      usage: basis.usageMark,
      seq,
      snapshotId: snapshot.id,
      snapshotAt: at,
      regions,
    });
    await this.events.publish(new SnapshotTaken(state.id, snapshot.id, 'current'));
    this.work.afterCommit(() => {
      stop();
      if (newest !== undefined)
        this.metrics.lag.observe(Math.max(0, this.clock.now().getTime() - newest.createdAt.getTime()) / 1000);
    });
    if (scope.kind === 'whole') this.updates.items.analyzeAfterCommit(counts.resources);
    return snapshot.id;
  }
}

/** Undefined: nothing is due. */
function scopeOf(
  { trigger }: PricingRequest,
  { state, progress, basis }: { state: CostedState; progress: CostStateEntity; basis: PricingBasis },
): PricedScope | undefined {
  const isNew = progress.seq === 0;
  if (state.version === 0 && trigger === undefined && isNew) return undefined;
  const hasVersion = progress.pricedVersion < state.version;
  const usageDiffers = progress.usage !== basis.usageMark;
  if (!isNew && trigger === undefined && !hasVersion && !usageDiffers) return undefined;
  if (state.graphError !== null) return { kind: 'empty' };
  if (isNew || usageDiffers || progress.basis !== basis.mark || trigger === 'manual')
    return { kind: 'whole' };
  return hasVersion ? { kind: 'changed', since: progress.pricedVersion } : { kind: 'same' };
}
