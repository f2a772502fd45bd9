import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { defineJob, HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { VersionStored } from '../../states/index.js';
import { HandlesTask, type TaskRun } from '../../tasks/index.js';
import { CATCH_UP_TASK } from '../findings/catch-up-tasks.js';
import { ScanMetrics } from '../findings/scan-metrics.js';
import { securityErrors } from '../security.errors.js';
import { DueStates } from './due-states.queries.js';
import { type ScanRequest, StateScanner } from './state-scanner.service.js';

const SWEEP_INTERVAL_MS = 15_000;
const DAY_MS = 86_400_000;
const MAX_STATES_PER_SWEEP = 100;
/** Writes that commit within this time share one job. */
const GATHERING_MS = 5;
export const SCAN_TASK = 'security-scan';
const SCAN_TIME_LIMIT_MS = 15 * 60_000;
const MAX_CATCH_UP_ROUNDS = 10;
const CATCH_UP_TIME_LIMIT_MS = 6 * 60 * 60_000;

/** After a write: what changed. */
export const ScanStatesJob = defineJob<{ stateIds: string[] }>('scan-states', {
  queue: 'security',
  concurrency: 2,
});
/** Once a day, everything. */
export const ScanDailyJob = defineJob('scan-daily', {
  queue: 'security',
  everyMs: SWEEP_INTERVAL_MS,
  attempts: 1,
});
export const ForgetFindingsJob = defineJob('forget-findings', {
  queue: 'security',
  everyMs: DAY_MS,
  attempts: 1,
});

/** Scans states. A state is due while its version is newer than the one that was scanned. */
@Injectable()
export class ScanJobs {
  private readonly written = new Set<string>();
  private timer: NodeJS.Timeout | undefined;

  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly jobs: Jobs,
    private readonly due: DueStates,
    private readonly scanner: StateScanner,
    private readonly metrics: ScanMetrics,
  ) {}

  /** The write does not wait: the job is queued after the commit and outside of the request. */
  @HandlesEvent(VersionStored)
  schedule({ stateId }: VersionStored): void {
    if (!this.isOn) return;
    this.work.afterCommit(() => {
      this.written.add(stateId);
      this.timer ??= setTimeout(() => void this.enqueueWritten(), GATHERING_MS).unref();
    });
  }

  @HandlesJob(ScanStatesJob)
  async scanWritten({ stateIds }: { stateIds: string[] }, _run: JobRun): Promise<void> {
    if (this.isOn) for (const stateId of stateIds) await this.scan({ stateId });
  }

  @HandlesJob(ScanDailyJob)
  async scanDaily(_payload: object, _run: JobRun): Promise<void> {
    if (!this.isOn) return;
    for (const stateId of await this.due.daily(MAX_STATES_PER_SWEEP))
      await this.scan({ stateId, whole: 'scheduled' });
  }

  @HandlesJob(ForgetFindingsJob)
  async forget(_payload: object, _run: JobRun): Promise<void> {
    const days = this.config.get('SERVICE_SECURITY_HISTORY_DAYS');
    if (days > 0) await this.due.forget(days);
  }

  @HandlesTask(SCAN_TASK, { timeLimitMs: SCAN_TIME_LIMIT_MS })
  async scanWhole({ payload }: TaskRun): Promise<unknown> {
    // The API that took the request may be set differently from this worker.
    if (!this.isOn) throw securityErrors.SECURITY_DISABLED();
    return { scan_id: await this.scan({ stateId: String(payload['state_id']), whole: 'manual' }) };
  }

  /** The states of a tenant that are due, one after the other. */
  @HandlesTask(CATCH_UP_TASK, { timeLimitMs: CATCH_UP_TIME_LIMIT_MS })
  async catchUp({ payload, progress, signal }: TaskRun): Promise<unknown> {
    if (!this.isOn) throw securityErrors.SECURITY_DISABLED();
    let scanned = 0;
    // What became due while the task ran is scanned by it as well.
    for (let round = 0; round < MAX_CATCH_UP_ROUNDS; round++) {
      const states = await this.due.ofTenant(String(payload['tenant_id']));
      if (states.length === 0) break;
      for (const [done, stateId] of states.entries()) {
        signal.throwIfAborted();
        await this.scan({ stateId });
        await progress(scanned + 1, scanned + states.length - done);
        scanned += 1;
      }
    }
    return { scanned };
  }

  private scan(request: ScanRequest): Promise<string | undefined> {
    const kind = request.whole === undefined ? 'changes' : 'whole';
    return this.metrics.measure(kind, async () => this.scanner.scan(request));
  }

  private get isOn(): boolean {
    return this.config.get('SERVICE_SECURITY');
  }

  private async enqueueWritten(): Promise<void> {
    const stateIds = [...this.written];
    this.written.clear();
    this.timer = undefined;
    // A job that cannot be queued is no loss: the sweep finds the state.
    await this.jobs.enqueue(ScanStatesJob, { stateIds }).catch(() => undefined);
  }
}
