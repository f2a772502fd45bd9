import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import { retryPauseMs } from './drift-time.rules.js';

const LEASE_MS = 10 * 60_000;
/** Pushes tell of changes; what a code host did not deliver is found after so long. */
const REREAD_MS = 24 * 3_600_000;
const MAX_PER_TAKE = 10;
/**
 * A read takes two to four requests. With the ten takes of a run of the job each minute, an installation with many new
 * repositories spends at most 3,600 an hour or so of the 5,000 that GitHub allows, and keeps the rest for pull requests.
 */
const MAX_PER_INSTALLATION = 2;

export interface TakenBranch {
  repositoryId: string;
  installationId: string;
}

/** Table `drift_branches`. */
@Injectable()
export class DriftBranchesStore {
  constructor(private readonly work: UnitOfWork) {}

  /** Repositories of an installation are read at once; undefined: all of them. */
  async markUnread(
    installationId: string,
    providerIds: readonly string[] | undefined,
    now: Date,
  ): Promise<void> {
    await this.work.query(
      `INSERT INTO drift_branches (repository_id, next_read_at)
       SELECT id, $3 FROM repositories WHERE installation_id = $1 AND ($2::text[] IS NULL OR provider_id = ANY ($2)) ORDER BY id
       ON CONFLICT (repository_id) DO UPDATE SET next_read_at = excluded.next_read_at, attempts = 0`,
      [installationId, providerIds ?? null, now],
    );
  }

  /** Repositories to read, in turns over installations. Nobody else gets them before their lease ends. */
  takeUnread(now: Date): Promise<TakenBranch[]> {
    return this.work.query<TakenBranch>(
      `WITH unread AS (
         SELECT b.repository_id, r.installation_id,
                row_number() OVER (PARTITION BY r.installation_id ORDER BY b.next_read_at, b.repository_id) AS turn
           FROM drift_branches b JOIN repositories r ON r.id = b.repository_id
           JOIN installations i ON i.id = r.installation_id
          WHERE i.tenant_id IS NOT NULL AND i.state NOT IN ('suspended', 'uninstalled') AND b.next_read_at <= $1),
       taken AS (
         SELECT b.repository_id, u.installation_id FROM unread u JOIN drift_branches b ON b.repository_id = u.repository_id
          WHERE b.next_read_at <= $1 AND u.turn <= ${MAX_PER_INSTALLATION} ORDER BY u.turn, b.repository_id LIMIT ${MAX_PER_TAKE} FOR UPDATE OF b SKIP LOCKED)
       UPDATE drift_branches b SET next_read_at = $2, attempts = b.attempts + 1
         FROM taken t WHERE b.repository_id = t.repository_id
       RETURNING b.repository_id AS "repositoryId", t.installation_id AS "installationId"`,
      [now, new Date(now.getTime() + LEASE_MS)],
    );
  }

  /**
   * A read that began at `startedAt` counts; false when a later one was stored before. Locks the repository's row to the
   * end of the transaction. `head` is undefined for an empty repository.
   */
  async recordRead(
    repositoryId: string,
    head: { name: string; sha: string } | undefined,
    startedAt: Date,
  ): Promise<boolean> {
    const rows = await this.work.query(
      `INSERT INTO drift_branches AS b (repository_id, branch, sha, read_at, next_read_at) VALUES ($1, $2, $3, $4, $5)
       ON CONFLICT (repository_id) DO UPDATE SET branch = excluded.branch, sha = excluded.sha, read_at = excluded.read_at,
         next_read_at = excluded.next_read_at, attempts = 0, problem = NULL
        WHERE b.read_at IS NULL OR b.read_at <= excluded.read_at
       RETURNING repository_id`,
      [
        repositoryId,
        head?.name ?? null,
        head?.sha ?? null,
        startedAt,
        new Date(startedAt.getTime() + REREAD_MS),
      ],
    );
    return rows.length === 1;
  }

  /** The schedules stay as they were; the pause grows. */
  async recordProblem(repositoryId: string, problem: string, now: Date): Promise<void> {
    const [row] = await this.work.query<{ attempts: number }>(
      `INSERT INTO drift_branches AS b (repository_id, next_read_at, attempts, problem) VALUES ($1, $2, 1, $3)
       ON CONFLICT (repository_id) DO UPDATE SET problem = excluded.problem, attempts = greatest(b.attempts, 1)
       RETURNING attempts`,
      [repositoryId, now, storableText(problem)],
    );
    await this.work.query('UPDATE drift_branches SET next_read_at = $2 WHERE repository_id = $1', [
      repositoryId,
      new Date(now.getTime() + retryPauseMs(row?.attempts ?? 1)),
    ]);
  }
}
