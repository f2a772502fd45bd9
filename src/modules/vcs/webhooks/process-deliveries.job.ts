import { Injectable, Logger, type OnModuleDestroy } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { AppError, describeFailure } from '../../../platform/errors/index.js';
import { HandlesJob, type JobRun } from '../../../platform/queue/index.js';
import { GroupCredentials } from '../hosts/group-credentials.store.js';
import { VcsMetrics } from '../hosts/vcs-metrics.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import { DeliveryHandlers } from './delivery-handlers.js';
import { DeliveryUpkeepJob, ProcessDeliveriesJob } from './delivery-jobs.js';
import { DeliveriesStore, type WaitingDelivery } from './deliveries.store.js';
import { nextAttempt } from './delivery-retries.rules.js';
import { LaneLease } from './lane-lease.js';

const LANES_AT_ONCE = 8;
const LANES_PER_LOOK = 64;
const DELIVERIES_PER_READ = 16;
const DELIVERY_TIME_LIMIT_MS = 180_000;

/** Works on deliveries: each lane in order, several lanes at a time, one worker for a lane. */
@Injectable()
export class DeliveryProcessing implements OnModuleDestroy {
  private readonly logger = new Logger('Deliveries');
  private readonly stopping = new AbortController();
  /** those that this process works on */
  private readonly lanes = new Set<string>();

  constructor(
    private readonly settings: VcsSettings,
    private readonly deliveries: DeliveriesStore,
    private readonly handlers: DeliveryHandlers,
    private readonly credentials: GroupCredentials,
    private readonly metrics: VcsMetrics,
    private readonly secrets: Secrets,
  ) {}

  onModuleDestroy(): void {
    this.stopping.abort();
  }

  @HandlesJob(ProcessDeliveriesJob)
  async process(_payload: object, _run: JobRun): Promise<void> {
    if (!this.settings.isEnabled) return;
    while (!this.stopping.signal.aborted) {
      const lanes = await this.deliveries.listDueLanes(LANES_PER_LOOK);
      const worked = await this.workOnAll(lanes);
      if (worked === 0) return;
    }
  }

  @HandlesJob(DeliveryUpkeepJob)
  async upkeep(_payload: object, _run: JobRun): Promise<void> {
    const givenUp = await this.deliveries.removeOld();
    if (givenUp > 0) this.logger.error({ msg: 'deliveries failed for a week and were given up', givenUp });
    const renewed = await this.credentials.renewHashes();
    if (renewed > 0) this.logger.log({ msg: 'hashes of webhook secrets were renewed', renewed });
  }

  /**
   * The lanes take turns: of more than can be worked on at once, each is left after one delivery, so that a repository with
   * many does not hold up the others. The next look lists it again. Answers how many of the lanes were worked on here; the
   * others are somebody else's.
   */
  private async workOnAll(lanes: readonly string[]): Promise<number> {
    const waiting = [...lanes];
    const limit = lanes.length > LANES_AT_ONCE ? 1 : Infinity;
    let worked = 0;
    const work = async (): Promise<void> => {
      for (let lane = waiting.shift(); lane !== undefined; lane = waiting.shift())
        if (await this.workOn(lane, limit)) worked += 1;
    };
    await Promise.all(Array.from({ length: LANES_AT_ONCE }, work));
    return worked;
  }

  private async workOn(lane: string, limit: number): Promise<boolean> {
    // Another job of this process has it.
    if (this.lanes.has(lane)) return false;
    const holder = this.secrets.uuid();
    this.lanes.add(lane);
    try {
      if (!(await this.deliveries.lease(lane, holder))) return false;
      const lease = new LaneLease(() => this.deliveries.renew(lane, holder));
      try {
        let isLeft = false;
        do isLeft = await this.workOnWaiting(lane, lease, limit);
        while (!isLeft && !this.mustStop(lease) && !(await this.deliveries.release(lane, holder)));
        if (isLeft || this.stopping.signal.aborted) await this.deliveries.abandon(lane, holder);
      } finally {
        lease.end();
      }
      return true;
    } finally {
      this.lanes.delete(lane);
    }
  }

  /**
   * In order, until none is due. One that will be tried again holds up those behind it, unless it steps aside. True when the
   * lane is left after `limit` deliveries, whatever is due.
   */
  private async workOnWaiting(lane: string, lease: LaneLease, limit: number): Promise<boolean> {
    for (let left = limit; ;) {
      const waiting = await this.deliveries.listNext(lane, Math.min(left, DELIVERIES_PER_READ));
      if (waiting.length === 0) return false;
      for (const delivery of waiting) {
        if (this.mustStop(lease) || !(await lease.isHeld())) return false;
        if (!(await this.workOnOne(delivery, lease.signal))) return false;
        left -= 1;
      }
      if (left === 0) return true;
    }
  }

  private mustStop(lease: LaneLease): boolean {
    return this.stopping.signal.aborted || lease.signal.aborted;
  }

  /** False when the lane has to wait for the delivery. */
  private async workOnOne(delivery: WaitingDelivery, leased: AbortSignal): Promise<boolean> {
    const limit = AbortSignal.timeout(DELIVERY_TIME_LIMIT_MS);
    const signal = AbortSignal.any([leased, this.stopping.signal, limit]);
    try {
      const result = await this.handlers.handle(delivery, this.deliveries.openBody(delivery), signal);
      await this.deliveries.finish(delivery.id, result);
      this.metrics.countDelivery(delivery.provider, delivery.event, result);
      return true;
    } catch (error) {
      // What was interrupted is no attempt: whoever has the lane next works on it.
      if (leased.aborted || this.stopping.signal.aborted) return false;
      return this.fail(delivery, error);
    }
  }

  /** True when the lane goes on without it: it is worked on again aside. */
  private async fail(delivery: WaitingDelivery, error: unknown): Promise<boolean> {
    const id = error instanceof AppError ? error.id : 'INTERNAL_ERROR';
    const attempts = delivery.attempts + 1;
    const next = nextAttempt(attempts, id);
    const { provider, event } = delivery;
    this.logger.warn({
      msg: 'a delivery will be processed again',
      deliveryId: delivery.id,
      provider,
      event,
      attempts,
      ...next,
      ...describeFailure(error),
    });
    this.metrics.countDelivery(provider, event, 'retried');
    await this.deliveries.retry(delivery.id, next, id);
    return next.isAside;
  }
}
