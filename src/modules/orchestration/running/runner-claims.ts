import { setTimeout as delay } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { hashOfSecret } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { ClaimBody, ClaimedView } from '../dto/runner.dto.js';
import { RunnerPoolEntity } from '../entities/run-artifact.entities.js';
import { RunQueue } from '../runs/run-queue.store.js';
import { WorkTokens } from '../runs/work-tokens.js';
import { requireProtocol } from './runner.service.js';

const POLL_INTERVAL_MS = 500;
/** People read when a pool was seen last; busy pools do not write it with every claim. */
const SEEN_INTERVAL_MS = 5_000;

/** Gives runs to the machines of a pool; a pool takes runs of its own tenant only. */
@Injectable()
export class RunnerClaims {
  constructor(
    private readonly workTokens: WorkTokens,
    private readonly queue: RunQueue,
    private readonly work: UnitOfWork,
    private readonly config: Config,
    private readonly clock: Clock,
  ) {}

  /**
   * `left`: aborted when the runner goes away. A run that it will not hear of stays in the queue, and so do all runs for
   * a runner that could not begin them.
   */
  async claim(
    pool: RunnerPoolEntity,
    { wait_seconds: waitSeconds, runner }: ClaimBody,
    left: AbortSignal,
  ): Promise<ClaimedView | undefined> {
    requireProtocol(runner);
    await this.recordSeen(pool);
    const until = performance.now() + waitSeconds * 1000;
    while (!left.aborted) {
      const token = this.workTokens.create();
      const request = { place: 'pool' as const, pool: { tenantId: pool.tenantId, name: pool.name } };
      const taken = await this.queue.take(request, hashOfSecret(token));
      if (taken !== undefined && !left.aborted)
        return {
          work_token: token,
          api_base_url: this.config.get('SERVICE_API_BASE') ?? this.config.get('SERVICE_UI_BASE'),
        };
      if (taken !== undefined) await this.queue.giveBack(taken, this.clock.now(), null);
      if (performance.now() + POLL_INTERVAL_MS > until) return undefined;
      await delay(POLL_INTERVAL_MS, undefined, { signal: left }).catch(() => undefined);
    }
    return undefined;
  }

  private async recordSeen({ id, lastSeenAt }: RunnerPoolEntity): Promise<void> {
    const now = this.clock.now();
    if (lastSeenAt && now.getTime() - lastSeenAt.getTime() < SEEN_INTERVAL_MS) return;
    await this.work.manager.update(RunnerPoolEntity, id, { lastSeenAt: now });
  }
}
