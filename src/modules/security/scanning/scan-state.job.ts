import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { HandlesEvent } from '../../../platform/events/index.js';
import { defineJob, HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { VersionStored } from '../../states/index.js';
import { HandlesTask, type TaskRun } from '../../tasks/index.js';
import { SCAN_TENANT_TASK } from '../waivers/custom-checks.service.js';
import { ScanMetrics } from '../findings/scan-metrics.js';
import { DueStates } from './due-states.queries.js';
import { type ScanRequest, StateScanner } from './state-scanner.service.js';

const SWEEP_INTERVAL_MS = 15_000;
const DAY_MS = 86_400_000;
const MAX_STATES_PER_SWEEP = 100;
/** Writes that commit within this time share one job. */
const GATHERING_MS = 5;
export const SCAN_TASK = 'security-scan';
const SCAN_TIME_LIMIT_MS = 15 * 60_000;

/** After a write: what changed. */
export const ScanStatesJob = defineJob<{ stateIds: string[] }>('scan-states', {
  queue: 'security',
  concurrency: 2,
});
/** What was written while scanning was off, states whose job was lost, new checks, and once a day everything. */
export const SweepScansJob = defineJob('sweep-scans', {
  queue: 'security',
  everyMs: SWEEP_INTERVAL_MS,
  attempts: 1,
});
export const ForgetFindingsJob = defineJob('forget-findings', {
  queue: 'security',
  everyMs: DAY_MS,
  attempts: 1,
});

/** Starts scans. A state is due while its version is newer than the one that was scanned. */
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

  @HandlesJob(SweepScansJob)
  async sweep(_payload: object, _run: JobRun): Promise<void> {
    if (!this.isOn) return;
    await this.due.markAfterLosses();
    for (const stateId of await this.due.list(MAX_STATES_PER_SWEEP)) await this.scan({ stateId });
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
    const stateId = String(payload['state_id']);
    return { scan_id: this.isOn ? await this.scan({ stateId, whole: 'manual' }) : undefined };
  }

  /** After the tenant's own checks changed. */
  @HandlesTask(SCAN_TENANT_TASK, { timeLimitMs: SCAN_TIME_LIMIT_MS })
  async scanTenant({ payload, progress, signal }: TaskRun): Promise<unknown> {
    if (!this.isOn) return { scanned: 0 };
    const states = await this.due.ofTenant(String(payload['tenant_id']));
    for (const [done, stateId] of states.entries()) {
      signal.throwIfAborted();
      await this.scan({ stateId });
      await progress(done + 1, states.length);
    }
    return { scanned: states.length };
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
