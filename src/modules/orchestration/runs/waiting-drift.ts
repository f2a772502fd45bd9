import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { Dirspace } from './holds.store.js';
import { Runs } from './runs.store.js';
import { runError } from './work-manifest.machine.js';

/** Schedules whose runs gave way look again after so long: a repository where much is applied does not start them on end. */
const AGAIN_MS = 15 * 60_000;

/** Name of the schedule of a run: `asked_by` is `drift:<name>:<time>`, and the time has 24 characters. */
function scheduleOf(alias: string): string {
  return `left(substr(${alias}.asked_by, 7), -25)`;
}

/**
 * Makes the schedules of runs that ended before they began due again soon; they have not looked then. Call it in the
 * transaction that ends the runs.
 */
export async function lookAgain(work: UnitOfWork, runIds: readonly string[], now: Date): Promise<void> {
  if (runIds.length === 0) return;
  await work.query(
    `WITH ended AS (
       SELECT d.repository_id, d.name FROM drift_schedules d
        WHERE (d.repository_id, d.name) IN (
          SELECT m.repository_id, ${scheduleOf('m')} FROM work_manifests m WHERE m.id = ANY ($1::uuid[]) AND m.kind = 'drift')
        ORDER BY d.repository_id, d.name FOR UPDATE)
     UPDATE drift_schedules d SET next_at = least(d.next_at, $2), last_at = (
         SELECT max(m.created_at) FROM work_manifests m
          WHERE m.repository_id = d.repository_id AND m.pull_number IS NULL AND m.kind = 'drift'
            AND ${scheduleOf('m')} = d.name AND NOT (m.state = 'aborted' AND m.started_at IS NULL))
       FROM ended e WHERE d.repository_id = e.repository_id AND d.name = e.name`,
    [runIds, new Date(now.getTime() + AGAIN_MS)],
  );
}

/**
 * Runs for drift that have not begun: they give way to a pull request that holds one of their dirspaces. They do not wait
 * for the end of the hold, because the default branch that they were made for may lack what was applied meanwhile.
 */
@Injectable()
export class WaitingDrift {
  constructor(
    private readonly work: UnitOfWork,
    private readonly runs: Runs,
    private readonly clock: Clock,
  ) {}

  /**
   * Ends what would reconcile drift in one of the dirspaces and has not begun, and what would look there and was not
   * sent. Whatever was sent to look runs beside the hold and changes nothing. Their schedules look again soon. Locks
   * runs, then schedules: call it once in a transaction.
   */
  async endIn(repositoryId: string, dirspaces: readonly Dirspace[]): Promise<void> {
    if (dirspaces.length === 0) return;
    await this.work.run(async () => {
      const rows = await this.work.query<{ id: string }>(
        `SELECT m.id FROM work_manifests m
          WHERE m.repository_id = $1 AND m.kind = 'drift' AND m.state = 'queued'
            AND (m.run_type = 'apply' OR m.dispatch_state IS NULL) AND EXISTS (
              SELECT FROM work_manifest_dirspaces w
                JOIN unnest($2::text[], $3::text[]) AS d (dir, workspace) ON d.dir = w.dir AND d.workspace = w.workspace
               WHERE w.work_manifest_id = m.id)
          ORDER BY m.id FOR UPDATE`,
        [repositoryId, dirspaces.map(({ dir }) => dir), dirspaces.map(({ workspace }) => workspace)],
      );
      for (const { id } of rows) await this.runs.move(id, 'abort', runError('SUPERSEDED'));
      await lookAgain(
        this.work,
        rows.map(({ id }) => id),
        this.clock.now(),
      );
    });
  }

  /**
   * Ends what would reconcile drift, has not begun, and is not wanted any more: `wanted` are the schedules that reconcile
   * now. Call it before schedules are locked.
   */
  async endUnwanted(
    repositoryId: string,
    wanted: readonly { name: string; tagQuery: string }[],
  ): Promise<void> {
    const rows = await this.work.query<{ id: string }>(
      `SELECT m.id FROM work_manifests m
        WHERE m.repository_id = $1 AND m.kind = 'drift' AND m.run_type = 'apply' AND m.state = 'queued' AND NOT EXISTS (
            SELECT FROM unnest($2::text[], $3::text[]) AS s (name, tag_query)
             WHERE s.name = ${scheduleOf('m')} AND s.tag_query = m.tag_query)
        ORDER BY m.id FOR UPDATE`,
      [repositoryId, wanted.map(({ name }) => name), wanted.map(({ tagQuery }) => tagQuery)],
    );
    for (const { id } of rows) await this.runs.move(id, 'abort', runError('SUPERSEDED'));
  }

  /** The same as `endIn`, in whatever pull requests hold: call it once for all of them, before their holds end. */
  async endHeld(repositoryId: string, pullNumbers: readonly number[]): Promise<void> {
    const held = await this.work.query<Dirspace>(
      'SELECT dir, workspace FROM dirspace_holds WHERE repository_id = $1 AND pull_number = ANY ($2::int[])',
      [repositoryId, pullNumbers],
    );
    await this.endIn(repositoryId, held);
  }
}
