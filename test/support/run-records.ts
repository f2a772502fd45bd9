import { randomUUID } from 'node:crypto';
import type { Pool } from 'pg';

/** Orchestration needs a key to seal with. */
export const TEST_ENCRYPTION_KEYS = `k1:${Buffer.alloc(32, 7).toString('base64')}`;

/** As if an API process had been running for ever, and would do so. */
export async function anApiAlwaysPresent(pool: Pool): Promise<void> {
  await pool.query(
    `INSERT INTO api_presence (id, since, seen_at) VALUES (1, '-infinity', 'infinity')
     ON CONFLICT (id) DO UPDATE SET since = excluded.since`,
  );
}

export interface TestRepository {
  /** ours */
  installation: string;
  /** the provider's */
  installationId: string;
  provider: 'github' | 'gitlab';
  repository: string;
  repoId: string;
  name: string;
}

/** A repository of an installation that is linked to a tenant, with an open pull request 7. */
export async function aRepository(
  pool: Pool,
  tenantId: string | null,
  {
    provider = 'github',
    installationId = String(Math.floor(Math.random() * 1e12)),
    repoId = String(Math.floor(Math.random() * 1e12)),
    owner = 'octo',
    name = `repo-${repoId}`,
    installation: existing,
  }: Partial<
    Pick<TestRepository, 'provider' | 'installation' | 'installationId' | 'repoId' | 'name'> & {
      owner: string;
    }
  > = {},
): Promise<TestRepository> {
  const [installation, repository] = [existing ?? randomUUID(), randomUUID()];
  await pool.query(
    `INSERT INTO installations (id, provider, installation_id, tenant_id, name, target_type, state)
     VALUES ($1, $2, $3, $4, $5, 'organization', 'active') ON CONFLICT (id) DO NOTHING`,
    [installation, provider, installationId, tenantId, owner],
  );
  await pool.query(
    `INSERT INTO repositories (id, installation_id, provider_id, owner, name, default_branch, clone_url, web_url)
     VALUES ($1, $2, $3, $4, $5, 'main', 'http://localhost/x.git', 'http://localhost/x')`,
    [repository, installation, repoId, owner, name],
  );
  await pool.query(
    `INSERT INTO pull_requests (repository_id, installation_id, number, title, branch, sha, base_branch, base_sha, state, created_at, updated_at)
     VALUES ($1, $2, 7, 'Seven', 'topic', 'aaaa', 'main', 'bbbb', 'open', now(), now())`,
    [repository, installation],
  );
  return { installation, installationId, provider, repository, repoId, name };
}

export interface TestRun {
  kind?: 'pull_request' | 'drift' | 'index';
  runType?: string;
  state?: 'queued' | 'running' | 'completed' | 'aborted';
  hooksFailed?: boolean;
  username?: string;
  createdAt?: string;
  /** asked for by something, so that the queue takes it */
  isWaiting?: boolean;
  place?: 'ci' | 'pool';
  pool?: string;
  dirs?: readonly TestDirspace[];
}

export interface TestDirspace {
  dir: string;
  workspace?: string;
  state?: string;
  success?: boolean;
  hasChanges?: boolean;
  summary?: { add: number; change: number; destroy: number };
  transactionId?: string;
  endedAt?: string;
}

export async function aRun(pool: Pool, of: TestRepository, run: TestRun = {}): Promise<string> {
  const id = randomUUID();
  const { kind = 'pull_request', runType = 'plan', state = 'completed', username = 'ada' } = run;
  const pull = kind === 'pull_request' ? 7 : null;
  const createdAt = run.createdAt ?? new Date().toISOString();
  await pool.query(
    `INSERT INTO work_manifests (id, installation_id, repository_id, pull_number, pull_title, kind, run_type, state, owner, repo,
       username, branch, branch_ref, base_branch, base_ref, created_at, trigger_key, place, pool, hooks_failed)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, 'octo', $9, $10, 'topic', 'aaaa', 'main', 'bbbb', $11, $12, $13, $14, $15)`,
    [
      id,
      of.installation,
      of.repository,
      pull,
      pull && 'Seven',
      kind,
      runType,
      state,
      of.name,
      username,
      createdAt,
      run.isWaiting === true ? id : null,
      run.place ?? 'ci',
      run.pool ?? null,
      run.hooksFailed ?? false,
    ],
  );
  for (const [position, dirspace] of (run.dirs ?? [{ dir: 'a' }]).entries())
    await insertDirspace(pool, id, position, dirspace);
  return id;
}

async function insertDirspace(pool: Pool, run: string, position: number, of: TestDirspace): Promise<void> {
  await pool.query(
    `INSERT INTO work_manifest_dirspaces (work_manifest_id, position, dir, workspace, state, success, has_changes, summary,
       transaction_id, ended_at, installation_id, repo, username, kind, run_type, pull_number, branch, sha, created_at, repository_id)
     SELECT id, $2, $3, $4, $5, $6, $7, $8, $9, $10, installation_id, repo, username, kind, run_type, pull_number, branch,
            branch_ref, created_at, repository_id
       FROM work_manifests WHERE id = $1`,
    [
      run,
      position,
      of.dir,
      of.workspace ?? 'default',
      of.state ?? 'queued',
      of.success ?? null,
      of.hasChanges ?? null,
      of.summary ?? null,
      of.transactionId ?? null,
      of.endedAt ?? null,
    ],
  );
}

/** The pull request 7 holds a directory since an apply of it. */
export async function aHold(
  pool: Pool,
  { repository }: TestRepository,
  { dir, pullNumber = 7, username = 'ada' }: { dir: string; pullNumber?: number; username?: string },
): Promise<void> {
  await pool.query(
    `INSERT INTO dirspace_holds (repository_id, dir, workspace, pull_number, username, created_at)
     VALUES ($1, $2, 'default', $3, $4, now())`,
    [repository, dir, pullNumber, username],
  );
}

export async function aSchedule(
  pool: Pool,
  { repository }: TestRepository,
  name: string,
  fields: { tagQuery?: string; isReconciling?: boolean; windowStart?: string; windowEnd?: string } = {},
): Promise<void> {
  await pool.query(
    `INSERT INTO drift_schedules (repository_id, name, schedule, tag_query, is_reconciling, window_start, window_end, next_at)
     VALUES ($1, $2, 'daily', $3, $4, $5, $6, now() + interval '1 day')`,
    [
      repository,
      name,
      fields.tagQuery ?? '',
      fields.isReconciling ?? false,
      fields.windowStart ?? null,
      fields.windowEnd ?? null,
    ],
  );
}

export async function aStep(
  pool: Pool,
  run: string,
  idx: number,
  step: { step?: string; state?: string; dir?: string; payload?: object } = {},
): Promise<void> {
  const scope = step.dir === undefined ? 'run' : 'dirspace';
  const [flow, subflow] = scope === 'run' ? ['hooks', 'pre'] : [null, null];
  await pool.query(
    `INSERT INTO work_manifest_outputs (work_manifest_id, idx, step, state, scope, dir, workspace, flow, subflow)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9)`,
    [
      run,
      idx,
      step.step ?? 'run',
      step.state ?? 'success',
      scope,
      step.dir ?? null,
      step.dir && 'default',
      flow,
      subflow,
    ],
  );
  await pool.query(
    'INSERT INTO work_manifest_payloads (work_manifest_id, idx, payload) VALUES ($1, $2, $3)',
    [run, idx, step.payload ?? { text: `step ${idx}` }],
  );
}
