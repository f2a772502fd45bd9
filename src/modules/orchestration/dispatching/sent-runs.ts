import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { AppError } from '../../../platform/errors/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { type CiRun, CodeHosts } from '../../vcs/index.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import type { RepositoryPlace } from '../planning/changes.js';
import { RunPlaces } from '../planning/run-places.js';
import { RunQueue } from '../runs/run-queue.store.js';
import { Runs } from '../runs/runs.store.js';
import { isGivenUp, runError } from '../runs/work-manifest.machine.js';
import { isAtAnotherCommit, mustBeAtItsCommit } from './own-branch.rules.js';

const MAX_PER_SWEEP = 50;
/** Clocks of the provider and of this service differ. */
const CLOCK_SKEW_MS = 30_000;

/** What is looked at: after how long first, and how often then. */
const LOOKS = {
  /** a dispatch whose answer is not there after so long was lost */
  lost: { where: `dispatch_state = 'sending'`, afterSeconds: 60, againSeconds: 60 },
  /** the provider did not say what it started */
  unnamed: {
    where: `dispatch_state = 'sent' AND place = 'ci' AND run_id IS NULL`,
    afterSeconds: 10,
    againSeconds: 60,
  },
  waiting: {
    where: `dispatch_state = 'sent' AND place = 'ci' AND run_id IS NOT NULL`,
    afterSeconds: 60,
    againSeconds: 120,
  },
} as const;

/** Looks at the provider after what was dispatched there and has not begun. */
@Injectable()
export class SentRuns {
  private readonly logger = new Logger('SentRuns');

  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
    private readonly runs: Runs,
    private readonly queue: RunQueue,
    private readonly places: RunPlaces,
    private readonly hosts: CodeHosts,
  ) {}

  async lookAfter(): Promise<void> {
    for (const id of await this.take('lost'))
      // A provider that does not answer keeps nobody else's runs from being looked after.
      await this.findLostDispatch(id).catch((error: unknown) => this.giveUpLater(id, error));
    for (const id of [...(await this.take('unnamed')), ...(await this.take('waiting'))])
      await this.lookAtCiRun(id).catch((error: unknown) =>
        this.warn('CI run could not be looked up', id, error),
      );
  }

  /** The next ones, oldest first; other workers leave them alone for a while. */
  private async take(look: keyof typeof LOOKS): Promise<string[]> {
    const { where, afterSeconds, againSeconds } = LOOKS[look];
    const rows = await this.work.query<{ id: string; dispatched_at: Date }>(
      `UPDATE work_manifests SET retry_at = $1::timestamptz + make_interval(secs => ${againSeconds})
        WHERE id IN (SELECT id FROM work_manifests WHERE state = 'queued' AND ${where}
           AND dispatched_at < $1::timestamptz - make_interval(secs => ${afterSeconds})
           AND (retry_at IS NULL OR retry_at < $1) ORDER BY dispatched_at LIMIT ${MAX_PER_SWEEP} FOR UPDATE SKIP LOCKED)
        RETURNING id, dispatched_at`,
      [this.clock.now()],
    );
    return rows.toSorted((a, b) => a.dispatched_at.getTime() - b.dispatched_at.getTime()).map(({ id }) => id);
  }

  private async giveUpLater(id: string, error: unknown): Promise<void> {
    const reason = this.warn('lost dispatch could not be looked up', id, error);
    const run = await this.runs.find(id);
    if (run && isGivenUp(run, this.clock.now().getTime()))
      await this.runs.abortAttempt(id, run.workTokenHash, runError('DISPATCH_FAILED', reason));
  }

  private warn(msg: string, workManifestId: string, error: unknown): string {
    const reason = error instanceof AppError ? error.id : 'INTERNAL_ERROR';
    this.logger.warn({ msg, workManifestId, error: reason });
    return reason;
  }

  /** A run that the provider has started since is ours; without one it is sent again. */
  private async findLostDispatch(id: string): Promise<void> {
    const run = await this.runs.find(id);
    const place = run && (await this.places.of(run));
    if (!run || !place || run.dispatchedAt === null) return;
    if (!(await this.findCiRun(place, run, run.dispatchedAt)))
      await this.queue.giveBack(id, this.clock.now(), run.workTokenHash);
  }

  /** A CI run that has ended begins nothing any more. One whose id the provider did not say is looked for first. */
  private async lookAtCiRun(id: string): Promise<void> {
    const run = await this.runs.find(id);
    const place = run && (await this.places.of(run));
    if (!run || !place || run.dispatchedAt === null) return;
    const found =
      run.runId === null
        ? await this.findCiRun(place, run, run.dispatchedAt)
        : await this.hosts.of(place.installation.provider).findRun(place, run.runId);
    if (found?.state === 'completed') await this.endUnlessBegun(run.id, found);
  }

  private async endUnlessBegun(id: string, ciRun: CiRun): Promise<void> {
    const error =
      ciRun.conclusion === 'cancelled'
        ? runError('CANCELLED', 'its CI job was cancelled before a runner began it')
        : runError('JOB_FAILED', 'the CI run ended before a runner began it');
    const where = `m.state = 'queued' AND m.run_id = $1`;
    await this.runs.abortWhile(id, error, { where, values: [ciRun.id] });
  }

  /** The run of the workflow that was started closest to the dispatch, and that no other run has. */
  private async findCiRun(
    place: RepositoryPlace,
    run: WorkManifestEntity,
    dispatchedAt: Date,
  ): Promise<CiRun | undefined> {
    const ref = await this.places.refOf(place, run);
    const listed = await this.hosts.of(place.installation.provider).listRuns(place, {
      workflow: run.workflow,
      ref,
      since: new Date(dispatchedAt.getTime() - CLOCK_SKEW_MS),
    });
    const started = mustBeAtItsCommit(run, ref)
      ? listed.filter((each) => !isAtAnotherCommit(run, each))
      : listed;
    const distance = ({ createdAt }: CiRun): number => Math.abs(createdAt.getTime() - dispatchedAt.getTime());
    // Newest first is the order of the provider: of two that are as close, the older one was dispatched first.
    for (const candidate of started.toReversed().toSorted((a, b) => distance(a) - distance(b))) {
      const rows = await this.work.query(
        `UPDATE work_manifests SET dispatch_state = 'sent', run_id = $2, run_id_told = false, run_url = coalesce($3, run_url)
          WHERE id = $1 AND state = 'queued' AND dispatch_state = $5 AND run_id IS NULL
            AND NOT EXISTS (SELECT FROM work_manifests o WHERE o.repository_id = $4 AND o.run_id = $2) RETURNING id`,
        [run.id, candidate.id, candidate.webUrl, run.repositoryId, run.dispatchState],
      );
      if (rows.length > 0) return candidate;
    }
    return undefined;
  }
}
