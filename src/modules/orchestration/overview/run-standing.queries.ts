import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';

export interface StandingDirectory {
  dir: string;
  workspace: string;
  state: string;
  has_changes: boolean | null;
  summary: { add: number; change: number; destroy: number } | null;
  transaction_id: string | null;
  state_id: string | null;
}
export interface Blocker {
  dir: string;
  workspace: string;
  run_id: string;
  run_type: string;
  /** false: it waits itself, and was asked for earlier */
  is_running: boolean;
}

const DIRECTORIES = `
  SELECT d.dir, d.workspace, d.state, d.has_changes, d.summary, d.transaction_id,
         (SELECT s.state_id FROM work_manifest_states s WHERE s.work_manifest_id = d.work_manifest_id AND s.position = d.position) AS state_id
    FROM work_manifest_dirspaces d WHERE d.work_manifest_id = $1 ORDER BY d.position`;

/** As the pick of the queue has it: what runs in the other mode, or was asked for earlier and waits in the other mode. */
const BLOCKERS = `
  SELECT * FROM (
    SELECT d.dir, d.workspace, r.work_manifest_id AS run_id, r.mode AS run_type, true AS is_running, q.created_at
      FROM work_manifests q JOIN work_manifest_dirspaces d ON d.work_manifest_id = q.id
      JOIN running_dirspaces r ON r.repository_id = q.repository_id AND r.dir = d.dir AND r.workspace = d.workspace
     WHERE q.id = $1 AND (r.mode = 'apply' OR q.run_type = 'apply')
    UNION ALL
    SELECT d.dir, d.workspace, e.id, e.run_type, false, e.created_at
      FROM work_manifests q JOIN work_manifest_dirspaces d ON d.work_manifest_id = q.id
      JOIN work_manifest_dirspaces ed ON ed.repository_id = q.repository_id AND ed.dir = d.dir
       AND ed.workspace = d.workspace AND ed.state = 'queued'
      JOIN work_manifests e ON e.id = ed.work_manifest_id
     WHERE q.id = $1 AND e.state = 'queued' AND e.dispatch_state IS NULL AND e.trigger_key IS NOT NULL
       AND (e.created_at, e.id) < (q.created_at, q.id) AND (e.run_type = 'apply' OR q.run_type = 'apply')
       AND (e.kind <> 'drift' OR q.kind = 'drift')) b
   ORDER BY is_running DESC, created_at LIMIT 20`;

@Injectable()
export class RunStandingQueries {
  constructor(private readonly work: UnitOfWork) {}

  async directories(id: string): Promise<StandingDirectory[]> {
    return this.work.query<StandingDirectory>(DIRECTORIES, [id]);
  }

  async blockers(id: string): Promise<Blocker[]> {
    return this.work.query<Blocker>(BLOCKERS, [id]);
  }

  /** Runs of an installation that are sent or running. */
  async busyRuns({ installationId }: Pick<WorkManifestEntity, 'installationId'>): Promise<number> {
    const [row] = await this.work.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM work_manifests
        WHERE installation_id = $1 AND (state = 'running' OR (state = 'queued' AND dispatch_state IS NOT NULL))`,
      [installationId],
    );
    return row?.n ?? 0;
  }

  /** Undefined where the tenant has no such pool. */
  async pool(tenantId: string, name: string): Promise<{ lastSeenAt: Date | null } | undefined> {
    const [row] = await this.work.query<{ lastSeenAt: Date | null }>(
      'SELECT last_seen_at AS "lastSeenAt" FROM runner_pools WHERE tenant_id = $1 AND name = $2',
      [tenantId, name],
    );
    return row;
  }
}
