import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { AppError } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { HandlesTask, type TaskRun } from '../../tasks/index.js';
import type { CloudProvider } from '../../cloud-ids/index.js';
import { CloudFailure, type ScanPart } from '../clouds/cloud-inventory.js';
import { CloudAccess } from '../settings/cloud-access.js';
import { GapInventoryStore } from '../inventory/gap-inventory.store.js';
import { type CloudOf, GapScansStore, type ScanAttempt } from '../inventory/gap-scans.store.js';
import { gapErrors } from '../gaps.errors.js';
import { InventoryWriter } from './inventory-writer.js';

export const SCAN_TASK = 'gap-scan';

/** A million resources take a few minutes; clouds that throttle without end are given up. */
const SCAN_TIME_LIMIT_MS = 30 * 60_000;
const PROGRESS_INTERVAL_MS = 500;

/**
 * Reads a tenant's cloud into an inventory of its own, and puts it in place of the older one at the end. After a kill the next
 * attempt goes on with the page after the last one that was stored.
 */
@Injectable()
export class ScanInventory {
  private readonly logger = new Logger('GapScans');

  constructor(
    private readonly work: UnitOfWork,
    private readonly access: CloudAccess,
    private readonly scans: GapScansStore,
    private readonly inventory: GapInventoryStore,
    private readonly clock: Clock,
  ) {}

  @HandlesTask(SCAN_TASK, { timeLimitMs: SCAN_TIME_LIMIT_MS + 60_000 })
  async scan(run: TaskRun): Promise<unknown> {
    const of = { tenantId: run.tenantId ?? '', provider: run.payload['provider'] as CloudProvider };
    const attempt = await this.scans.beginAttempt(of, run.id);
    if (!attempt) throw gapErrors.GAP_SCAN_SUPERSEDED();
    const limit = new AbortController();
    const timer = setTimeout(() => limit.abort(), SCAN_TIME_LIMIT_MS);
    try {
      await this.read(attempt, run, AbortSignal.any([run.signal, limit.signal]));
      await this.publish(attempt, run);
    } catch (error) {
      if (!(error instanceof CloudFailure)) throw error;
      await this.fail({ ...of, taskId: run.id }, stopReason(limit.signal, run.signal) ?? error);
    } finally {
      clearTimeout(timer);
    }
    return undefined;
  }

  private async read(attempt: ScanAttempt, run: TaskRun, signal: AbortSignal): Promise<void> {
    const cloud = await this.access.find(attempt);
    if (!cloud) throw gapErrors.GAP_SCAN_SUPERSEDED();
    const writer = new InventoryWriter(this.inventory, attempt);
    let count = attempt.from === undefined ? 0 : await this.inventory.count(attempt);
    let shownAt = 0;
    for await (const part of readAhead(this.access.scan(cloud.settings, signal, attempt.from))) {
      if (signal.aborted) throw new CloudFailure('ABORTED');
      if ('phantoms' in part) {
        await writer.flush();
        await this.inventory.markPhantoms(attempt, part.phantoms, part.rule);
        continue;
      }
      await writer.add(part.resources, part.position);
      count += part.resources.length;
      const now = this.clock.now().getTime();
      if (now - shownAt < PROGRESS_INTERVAL_MS) continue;
      shownAt = now;
      await run.progress(count, undefined, `${count} resources`);
    }
    await writer.flush();
  }

  private async publish(attempt: ScanAttempt, run: TaskRun): Promise<void> {
    const resources = await this.inventory.count(attempt);
    await this.inventory.analyze(resources);
    await this.work.run(async () => {
      if (!(await this.scans.publish(attempt))) throw gapErrors.GAP_SCAN_SUPERSEDED();
      await run.complete({ provider: attempt.provider, resources });
    });
  }

  private async fail(of: CloudOf & { taskId: string }, failure: CloudFailure): Promise<never> {
    await this.scans.fail(of, failure.view);
    this.logger.warn({
      msg: 'scan of a cloud failed',
      tenantId: of.tenantId,
      provider: of.provider,
      ...failure.view,
    });
    const error: AppError = gapErrors.GAP_SCAN_FAILED();
    throw error.because(failure);
  }
}

/** A request that was stopped looks like a cloud that does not answer. Undefined when nothing stopped the scan. */
function stopReason(limit: AbortSignal, abort: AbortSignal): CloudFailure | undefined {
  if (limit.aborted) return new CloudFailure('TIME_LIMIT');
  return abort.aborted ? new CloudFailure('ABORTED') : undefined;
}

/** The same parts, with the next one under way while the current one is worked on. */
async function* readAhead(parts: AsyncGenerator<ScanPart, void>): AsyncGenerator<ScanPart, void> {
  let next = parts.next();
  try {
    for (;;) {
      const part = await next;
      if (part.done === true) return;
      next = parts.next();
      next.catch(() => undefined);
      yield part.value;
    }
  } finally {
    await parts.return(undefined).catch(() => undefined);
  }
}
