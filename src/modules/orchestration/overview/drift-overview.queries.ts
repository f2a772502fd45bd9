import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { isStorable } from '../../../platform/database/storable-text.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { decodePosition, type KeysetPage, keysetPage, type LinkedInstallation } from '../../vcs/index.js';
import type { DriftHoldView, DriftScheduleView, DriftState, DriftView } from '../dto/overview.dto.js';
import type { DriftScheduleEntity } from '../entities/run-artifact.entities.js';
import { HOLDING_RUN, holdReason } from './holding-run.js';

const LIST = 'drift';

interface DriftRow {
  provider_id: string;
  owner: string;
  name: string;
  web_url: string;
  dir: string;
  workspace: string;
  state: DriftState;
  run_id: string;
  looked_at: Date | null;
  drifted_since: Date | null;
  summary: DriftView['summary'] | null;
  transaction_id: string | null;
  state_id: string | null;
  held_since: Date | null;
  held_by: number | null;
  held_run: string | null;
  held_state: string | null;
}

export interface DriftRequest {
  page: string | undefined;
  limit: number;
  state: DriftState | undefined;
  repo: string | undefined;
}

/** An apply that succeeded has taken the difference away. */
const DIFFERS = (d: string) => `(${d}.has_changes AND NOT (${d}.run_type = 'apply' AND ${d}.success))`;

const IN_PLACE = `d.installation_id = $1 AND d.kind = 'drift' AND d.repository_id = p.repository_id AND d.dir = p.dir
               AND d.workspace = p.workspace`;
const FIRST_PLACE = 'ORDER BY d.repository_id, d.dir, d.workspace LIMIT 1';
const NEWEST_LOOK = 'ORDER BY d.created_at DESC, d.work_manifest_id DESC LIMIT 1';

/**
 * The newest look of each directory: one that has ended goes before one that is under way. Looks that were given up say
 * nothing about the infrastructure, unless there is no other one. The query goes from directory to directory along the
 * index, so that its cost is that of the directories and not of their history.
 */
const NEWEST = `
  places AS (
    (SELECT d.repository_id, d.dir, d.workspace FROM work_manifest_dirspaces d
      WHERE d.installation_id = $1 AND d.kind = 'drift' ${FIRST_PLACE})
    UNION ALL
    SELECT n.repository_id, n.dir, n.workspace FROM places p CROSS JOIN LATERAL (
      SELECT d.repository_id, d.dir, d.workspace FROM work_manifest_dirspaces d
       WHERE d.installation_id = $1 AND d.kind = 'drift'
         AND (d.repository_id, d.dir, d.workspace) > (p.repository_id, p.dir, p.workspace) ${FIRST_PLACE}) n),
  newest AS (
    SELECT l.* FROM places p CROSS JOIN LATERAL (
      SELECT * FROM (
        (SELECT d.* FROM work_manifest_dirspaces d WHERE ${IN_PLACE} AND d.success IS NOT NULL ${NEWEST_LOOK})
        UNION ALL
        (SELECT d.* FROM work_manifest_dirspaces d WHERE ${IN_PLACE} ${NEWEST_LOOK})) d
       ORDER BY d.success IS NULL LIMIT 1) l)`;

const ROWS = `
  SELECT r.provider_id, r.owner, r.name, r.web_url, n.dir, n.workspace, n.work_manifest_id AS run_id,
         CASE WHEN n.success THEN CASE WHEN ${DIFFERS('n')} THEN 'drifted' WHEN n.has_changes IS NULL THEN 'unknown' ELSE 'clean' END
              WHEN NOT n.success THEN 'failed'
              WHEN n.state IN ('queued', 'running') THEN 'looking' WHEN n.state = 'aborted' THEN 'failed' ELSE 'unknown' END AS state,
         n.ended_at AS looked_at, n.summary, n.transaction_id, n.repository_id, n.position, n.success, n.has_changes, n.run_type
    FROM newest n JOIN repositories r ON r.id = n.repository_id
   WHERE ($3::text IS NULL OR r.name = $3)`;

@Injectable()
export class DriftOverviewQueries {
  constructor(private readonly work: UnitOfWork) {}

  /** By repository, directory and workspace. */
  async list(
    { id, provider }: LinkedInstallation,
    { page, limit, state, repo }: DriftRequest,
  ): Promise<KeysetPage<DriftView>> {
    if (repo !== undefined && !isStorable(repo)) throw httpErrors.INVALID_REQUEST('repo must be valid text');
    const position = decodePosition(page, LIST, ['text', 'text', 'text', 'text']);
    const isBackward = position?.direction === 'prev';
    const [comparison, order] = isBackward ? ['<', 'DESC'] : ['>', 'ASC'];
    const keys = ['name', 'provider_id', 'dir', 'workspace'].map((key) => `l.${key} COLLATE "C"`);
    const rows = await this.work.query<DriftRow>(
      `WITH RECURSIVE ${NEWEST}, looks AS (${ROWS})
       SELECT l.provider_id, l.owner, l.name, l.web_url, l.dir, l.workspace, l.run_id, l.state, l.looked_at, l.summary,
              l.transaction_id,
              (SELECT s.state_id FROM work_manifest_states s WHERE s.work_manifest_id = l.run_id AND s.position = l.position) AS state_id,
              h.created_at AS held_since, h.pull_number AS held_by, h.run_id AS held_run, h.run_state AS held_state,
              CASE WHEN l.state = 'drifted' THEN (
                SELECT min(e.ended_at) FROM work_manifest_dirspaces e
                 WHERE e.installation_id = $1 AND e.kind = 'drift' AND e.repository_id = l.repository_id AND e.dir = l.dir
                   AND e.workspace = l.workspace AND ${DIFFERS('e')} AND e.created_at > coalesce((
                     SELECT max(c.created_at) FROM work_manifest_dirspaces c
                      WHERE c.installation_id = $1 AND c.kind = 'drift' AND c.repository_id = l.repository_id AND c.dir = l.dir
                        AND c.workspace = l.workspace AND c.success AND NOT ${DIFFERS('c')}), '-infinity')) END AS drifted_since
         FROM looks l
         LEFT JOIN LATERAL (
           SELECT h.created_at, h.pull_number, a.work_manifest_id AS run_id,
                  CASE WHEN h.pull_number IS NULL THEN m.state ELSE a.state END AS run_state
             FROM dirspace_holds h ${HOLDING_RUN}
             LEFT JOIN work_manifests m ON m.id = h.work_manifest_id
            WHERE h.repository_id = l.repository_id AND h.dir = l.dir AND h.workspace = l.workspace) h ON true
        WHERE ($4::text IS NULL OR l.state = $4)
          ${position ? `AND (${keys.join(', ')}) ${comparison} ($5, $6, $7, $8)` : ''}
        ORDER BY ${keys.map((key) => `${key} ${order}`).join(', ')} LIMIT $2`,
      [id, limit + 1, repo ?? null, state ?? null, ...(position?.keys ?? [])],
    );
    const found = keysetPage(rows, limit, {
      list: LIST,
      position,
      keysOf: (row) => [row.name, row.provider_id, row.dir, row.workspace],
    });
    return { ...found, rows: found.rows.map((row) => toDriftView(row, provider)) };
  }

  async schedules(installationId: string): Promise<DriftScheduleView[]> {
    const rows = await this.work.query<ScheduleRow>(
      `SELECT r.provider_id, r.owner, r.name AS repository_name, d.name, d.schedule, d.tag_query, d.is_reconciling,
              d.window_start, d.window_end, d.next_at, d.last_at
         FROM drift_schedules d JOIN repositories r ON r.id = d.repository_id
        WHERE r.installation_id = $1 ORDER BY r.name, r.provider_id, d.name`,
      [installationId],
    );
    return rows.map(toScheduleView);
  }

  /** Our id of the repository that has the schedule. */
  async findSchedule(
    installationId: string,
    repoId: string,
    name: string,
  ): Promise<KnownSchedule | undefined> {
    const [row] = await this.work.query<KnownSchedule>(
      `SELECT d.repository_id AS "repositoryId", d.name, d.schedule, d.tag_query AS "tagQuery",
              d.is_reconciling AS "isReconciling", d.window_start AS "windowStart", d.window_end AS "windowEnd"
         FROM drift_schedules d JOIN repositories r ON r.id = d.repository_id
        WHERE r.installation_id = $1 AND r.provider_id = $2 AND d.name = $3`,
      [installationId, repoId, name],
    );
    return row;
  }
}

type KnownSchedule = Pick<
  DriftScheduleEntity,
  'repositoryId' | 'name' | 'schedule' | 'tagQuery' | 'isReconciling' | 'windowStart' | 'windowEnd'
>;

interface ScheduleRow {
  provider_id: string;
  owner: string;
  repository_name: string;
  name: string;
  schedule: string;
  tag_query: string;
  is_reconciling: boolean;
  window_start: string | null;
  window_end: string | null;
  next_at: Date;
  last_at: Date | null;
}

function toScheduleView(row: ScheduleRow): DriftScheduleView {
  return {
    repository: row.provider_id,
    owner: row.owner,
    repository_name: row.repository_name,
    name: row.name,
    schedule: row.schedule,
    tag_query: row.tag_query,
    reconcile: row.is_reconciling,
    ...(row.window_start === null ? {} : { window_start: row.window_start }),
    ...(row.window_end === null ? {} : { window_end: row.window_end }),
    next_at: row.next_at.toISOString(),
    ...(row.last_at === null ? {} : { last_at: row.last_at.toISOString() }),
  };
}

function toDriftView(row: DriftRow, provider: LinkedInstallation['provider']): DriftView {
  return {
    repository: row.provider_id,
    owner: row.owner,
    name: row.name,
    dir: row.dir,
    workspace: row.workspace,
    state: row.state,
    work_manifest_id: row.run_id,
    ...(row.looked_at === null ? {} : { looked_at: row.looked_at.toISOString() }),
    ...(row.drifted_since === null ? {} : { drifted_since: row.drifted_since.toISOString() }),
    ...(row.summary ? { summary: row.summary } : {}),
    ...(row.transaction_id === null ? {} : { transaction_id: row.transaction_id }),
    ...(row.state_id === null ? {} : { state_id: row.state_id }),
    ...(row.held_by === null ? {} : { held_by: row.held_by }),
    ...(row.held_since === null ? {} : { hold: toHoldView(row, row.held_since) }),
    issues_url: `${row.web_url}${issuesPath(provider)}`,
  };
}

function toHoldView({ held_by, held_run, held_state }: DriftRow, since: Date): DriftHoldView {
  return {
    ...(held_by === null ? {} : { pull_number: held_by }),
    created_at: since.toISOString(),
    reason: holdReason(held_state),
    ...(held_run === null ? {} : { work_manifest_id: held_run }),
  };
}

/** Open issues with the label that drift runs give theirs. */
function issuesPath(provider: LinkedInstallation['provider']): string {
  return provider === 'github'
    ? '/issues?q=is%3Aissue+is%3Aopen+label%3Ainfrastate-drift'
    : '/-/issues?state=opened&label_name%5B%5D=infrastate-drift';
}
