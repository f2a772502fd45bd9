import { Injectable, Logger } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { AppError, describeFailure } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { costErrors } from '../../costs/index.js';
import { HandlesTask, type TaskRun } from '../../tasks/index.js';
import { BillingMetrics } from '../billing-metrics.js';
import { billingErrors } from '../billing.errors.js';
import { BillingSourceEntity } from '../entities/billing-source.entity.js';
import { BillingLoad } from './billing-load.js';
import { type GatheredFiles, SourceFiles, SyncFailure } from './source-files.service.js';
import { createSyncFolder, removeSyncFolder } from './sync-folder.js';
import { SYNC_TASK } from './sync-requests.service.js';

const SYNC_TIME_LIMIT_MS = 4 * 3_600_000;
const MAX_ERROR_LENGTH = 1_000;

/** Reads the files of a billing source and replaces its rows: all of it, or nothing. */
@Injectable()
export class SyncBillingSource {
  private readonly logger = new Logger('Billing');
  /** One sync at a time in a process: the reader's memory is budgeted for one. */
  private turn: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly files: SourceFiles,
    private readonly loading: BillingLoad,
    private readonly metrics: BillingMetrics,
  ) {}

  @HandlesTask(SYNC_TASK, { timeLimitMs: SYNC_TIME_LIMIT_MS })
  async sync(run: TaskRun): Promise<unknown> {
    const mine = this.turn.then(() => this.syncNow(run));
    this.turn = mine.catch(() => undefined);
    return mine;
  }

  private async syncNow(run: TaskRun): Promise<unknown> {
    run.signal.throwIfAborted();
    const source = await this.begin(String(run.payload['source_id']));
    if (!source) return { status: 'deleted' };
    const begun = performance.now();
    const folder = await createSyncFolder();
    try {
      if (!this.config.get('SERVICE_COST_ENABLED')) throw costErrors.COST_DISABLED();
      const gathered = await this.files.gather(source, folder, run.signal);
      await this.loading.load(source, gathered, run);
      this.report('ok', source, { begun, gathered });
      return undefined;
    } catch (error) {
      const reason = reasonOf(error, run.signal);
      this.report('error', source, { begun, error });
      if (reason === undefined) throw error;
      await this.refuse(source.id, reason);
      throw error instanceof AppError ? error : billingErrors.BILLING_SYNC_FAILED();
    } finally {
      await removeSyncFolder(folder);
    }
  }

  private async begin(id: string): Promise<BillingSourceEntity | undefined> {
    await this.work.manager.update(BillingSourceEntity, { id }, { lastStatus: 'running' });
    return (await this.work.manager.findOneBy(BillingSourceEntity, { id })) ?? undefined;
  }

  private async refuse(id: string, reason: string): Promise<void> {
    await this.work.manager.update(
      BillingSourceEntity,
      { id },
      { lastStatus: 'error', lastError: reason.slice(0, MAX_ERROR_LENGTH), updatedAt: this.clock.now() },
    );
  }

  private report(
    outcome: 'ok' | 'error',
    { id }: BillingSourceEntity,
    { begun, gathered, error }: { begun: number; gathered?: GatheredFiles; error?: unknown },
  ): void {
    const seconds = (performance.now() - begun) / 1_000;
    this.metrics.countSync(outcome, seconds, gathered?.lines ?? 0);
    const kind = error instanceof SyncFailure ? {} : error === undefined ? {} : describeFailure(error);
    this.logger.log({
      msg: outcome === 'ok' ? 'billing sync finished' : 'billing sync failed',
      sourceId: id,
      seconds,
      ...(gathered === undefined ? {} : { lines: gathered.lines, files: gathered.files }),
      ...kind,
    });
  }
}

/** What users are told; undefined for what is tried again. */
function reasonOf(error: unknown, signal: AbortSignal): string | undefined {
  if (signal.aborted) return 'the sync was stopped';
  return error instanceof SyncFailure || error instanceof AppError ? error.message : undefined;
}
