import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { HandlesJob, Jobs, type JobRun } from '../../../platform/queue/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { DispatchRunsJob, ReportRunJob, SweepRunsJob } from '../runs/dispatch-runs.declaration.js';
import { releaseLeftReconciles } from '../runs/hold-ends.queries.js';
import { STOPPING_SECONDS } from '../runs/run-time-limit.rules.js';
import { isHeld, RunQueue } from '../runs/run-queue.store.js';
import { Runs } from '../runs/runs.store.js';
import { lookAgain } from '../runs/waiting-drift.js';
import { type RunErrorId, runError } from '../runs/work-manifest.machine.js';
import { API_WAS_PRESENT } from './heartbeat-grace.js';
import { SentRuns } from './sent-runs.js';

/** A claim whose answer is not there after so long was lost. */
const LOST_CLAIM_SECONDS = 60;
const REPORT_AGAIN_SECONDS = 60;
const MAX_REPORT_PAUSE_SECONDS = 3600;
const MAX_PER_SWEEP = 50;

/** A machine that works begins what it claimed within this time. */
const BEGINNING_SECONDS = 30;

/** A machine of the pool asked for work within $2 seconds, or works on a run. */
const POOL_IS_ALIVE = `EXISTS (
  SELECT FROM installations i JOIN runner_pools p ON p.tenant_id = i.tenant_id AND p.name = m.pool
   WHERE i.id = m.installation_id AND (p.last_seen_at > $1::timestamptz - make_interval(secs => $2) OR EXISTS (
     SELECT FROM work_manifests o JOIN installations oi ON oi.id = o.installation_id
      WHERE o.state = 'running' AND o.place = 'pool' AND o.pool = p.name AND oi.tenant_id = p.tenant_id)))`;

const OVERDUE: readonly { error: RunErrorId; where: string; setting: Setting | undefined }[] = [
  {
    error: 'RUN_NOT_STARTED',
    where: `state = 'queued' AND dispatch_state = 'sent' AND dispatched_at < $1::timestamptz - make_interval(secs => $2)`,
    setting: 'SERVICE_RUN_START_SECONDS',
  },
  {
    // Each claim by a machine that cannot begin it gives the run another time.
    error: 'RUN_NOT_STARTED',
    where: `state = 'queued' AND dispatch_state = 'sent' AND place = 'pool'
       AND first_dispatched_at < $1::timestamptz - make_interval(secs => $2)
       AND dispatched_at < $1::timestamptz - make_interval(secs => ${BEGINNING_SECONDS})`,
    setting: 'SERVICE_RUN_START_SECONDS',
  },
  {
    error: 'RUN_NOT_STARTED',
    where: `state = 'queued' AND dispatch_state IS NULL AND trigger_key IS NOT NULL AND place = 'pool'
       AND created_at < $1::timestamptz - make_interval(secs => $2) AND NOT ${POOL_IS_ALIVE}`,
    setting: 'SERVICE_RUN_START_SECONDS',
  },
  {
    error: 'RUN_LOST',
    where: `state = 'running' AND heartbeat_at < $1::timestamptz - make_interval(secs => $2) AND ${API_WAS_PRESENT}`,
    setting: 'SERVICE_RUN_LOST_SECONDS',
  },
  {
    error: 'RUN_TIME_LIMIT',
    where: `state = 'running' AND started_at < $1::timestamptz - make_interval(secs => least($2, timeout_minutes * 60 + ${STOPPING_SECONDS}))`,
    setting: 'SERVICE_RUN_MAX_SECONDS',
  },
];
type Condition = Parameters<Runs['abortWhile']>[2];
type Setting = 'SERVICE_RUN_START_SECONDS' | 'SERVICE_RUN_LOST_SECONDS' | 'SERVICE_RUN_MAX_SECONDS';

/** Ends what will not end by itself, and takes up what a crash left. */
@Injectable()
export class RunUpkeep {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly config: Config,
    private readonly runs: Runs,
    private readonly queue: RunQueue,
    private readonly sentRuns: SentRuns,
    private readonly jobs: Jobs,
  ) {}

  @HandlesJob(SweepRunsJob)
  async sweep(_payload: object, _run: JobRun): Promise<void> {
    if (!this.config.get('SERVICE_ORCHESTRATION_ENABLED')) return;
    for (const { error, where, setting } of OVERDUE) await this.endOverdue(error, where, setting);
    await this.endHeldDrift();
    await this.endUnlinked();
    await this.sentRuns.lookAfter();
    await this.offerLostClaims();
    await releaseLeftReconciles(this.work);
    await this.reportAgain();
    await this.jobs.enqueue(DispatchRunsJob, {});
  }

  private async endOverdue(error: RunErrorId, where: string, setting: Setting | undefined): Promise<void> {
    const limit = setting === undefined ? 0 : this.config.get(setting);
    await this.endWhere({ where, values: [this.clock.now(), limit] }, ({ id, condition }) =>
      this.runs.abortWhile(id, runError(error), condition),
    );
  }

  /** What a pull request holds differs from the default branch by what it applied: a run for drift would take it back. */
  private async endHeldDrift(): Promise<void> {
    const where = `m.state = 'queued' AND m.kind = 'drift' AND m.dispatch_state IS NULL AND ${isHeld('m')}`;
    await this.endWhere({ where, values: [] }, ({ id, condition }) =>
      this.work.run(async () => {
        if (await this.runs.abortWhile(id, runError('SUPERSEDED'), condition))
          await lookAgain(this.work, [id], this.clock.now());
      }),
    );
  }

  /** Nobody takes what waits in an installation without a tenant. */
  private async endUnlinked(): Promise<void> {
    const where = `m.state = 'queued' AND m.trigger_key IS NOT NULL
      AND EXISTS (SELECT FROM installations i WHERE i.id = m.installation_id AND i.tenant_id IS NULL)`;
    await this.endWhere({ where, values: [] }, ({ id, condition }) =>
      this.runs.abortWhile(id, runError('UNLINKED'), condition),
    );
  }

  /** `end` checks the condition again: a runner may begin the run, or be heard of, after it was selected. */
  private async endWhere(
    condition: Condition,
    end: (found: { id: string; condition: Condition }) => Promise<unknown>,
  ): Promise<void> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT m.id FROM work_manifests m WHERE ${condition.where} LIMIT ${MAX_PER_SWEEP}`,
      condition.values,
    );
    for (const { id } of rows) await end({ id, condition });
  }

  /** A machine of a pool that did not hear the answer to its claim begins nothing: the run is offered again, with another token. */
  private async offerLostClaims(): Promise<void> {
    const now = this.clock.now();
    const rows = await this.work.query<{ id: string }>(
      `SELECT id FROM work_manifests WHERE state = 'queued' AND dispatch_state = 'sent' AND place = 'pool'
          AND dispatched_at < $1::timestamptz - make_interval(secs => ${LOST_CLAIM_SECONDS}) LIMIT ${MAX_PER_SWEEP}`,
      [now],
    );
    for (const { id } of rows) await this.queue.giveBack(id, now, null);
  }

  /** In turns of installations and their repositories, and each later than the time before. */
  private async reportAgain(): Promise<void> {
    const rows = await this.work.query<{ id: string }>(
      `WITH due AS (
         SELECT id, installation_id, coalesce(report_retry_at, completed_at) AS at,
                row_number() OVER (PARTITION BY repository_id ORDER BY coalesce(report_retry_at, completed_at), id) AS turn
           FROM work_manifests
          WHERE state IN ('completed', 'aborted') AND reported_at IS NULL AND trigger_key IS NOT NULL
            AND completed_at < $1::timestamptz - make_interval(secs => ${REPORT_AGAIN_SECONDS})
            AND (report_retry_at IS NULL OR report_retry_at <= $1)),
       picked AS (
         SELECT id FROM due
          ORDER BY row_number() OVER (PARTITION BY installation_id ORDER BY turn, at, id), at, id LIMIT ${MAX_PER_SWEEP})
       UPDATE work_manifests m SET report_attempts = report_attempts + 1,
              report_retry_at = $1::timestamptz
                + make_interval(secs => least(${REPORT_AGAIN_SECONDS} * 2 ^ least(report_attempts, 10), ${MAX_REPORT_PAUSE_SECONDS}))
         FROM picked WHERE m.id = picked.id RETURNING m.id`,
      [this.clock.now()],
    );
    for (const { id } of rows)
      await this.jobs.enqueue(ReportRunJob, { workManifestId: id }, { jobId: `report-${id}` });
  }
}
