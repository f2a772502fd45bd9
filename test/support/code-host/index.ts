import { execFileSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Pool } from 'pg';
import { type Admin, anAdmin, startGenerous } from '../identity.js';
import { aRepository, TEST_ENCRYPTION_KEYS, type TestRepository } from '../run-records.js';
import { freePort, type RunningService } from '../service.js';

interface HostState {
  comments: { repository: string; number: number; text: string }[];
  reactions: { id: string; reaction: string }[];
  statuses: Record<string, Record<string, { state: string; description: string }>>;
  dispatches: { repository: string; workflow: string; ref: string; inputs: Record<string, string> }[];
  cancelled: string[];
  merged: { number: number; sha: string }[];
  requests: number;
}

export interface PullRequestFields {
  branch: string;
  baseBranch?: string;
  state?: 'open' | 'closed' | 'merged';
  isDraft?: boolean;
  isFork?: boolean;
  isMergeable?: boolean | null;
}

/** An API and a worker whose code host is a directory of bare git repositories. */
export class HostedService {
  private comments = 0;

  private constructor(
    readonly api: RunningService,
    private readonly worker: RunningService,
    private readonly port: number,
    readonly directory: string,
    readonly admin: Admin,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<HostedService> {
    const directory = mkdtempSync(join(tmpdir(), 'code-host-'));
    const port = await freePort();
    const environment = (control: number): Record<string, string> => ({
      SERVICE_ORCHESTRATION_ENABLED: 'true',
      SERVICE_ENCRYPTION_KEYS: TEST_ENCRYPTION_KEYS,
      NODE_OPTIONS: `-r ${join(__dirname, 'preload.cjs')}`,
      TEST_CODE_HOST_ROOT: directory,
      TEST_CODE_HOST_PORT: String(control),
      ...env,
    });
    const api = await startGenerous({ env: environment(await freePort()) });
    const admin = await anAdmin(api);
    const worker = await startGenerous({
      role: 'worker',
      database: api.database,
      env: { ...environment(port), SERVICE_API_BASE: api.url, SERVICE_UI_BASE: api.url },
    });
    return new HostedService(api, worker, port, directory, admin);
  }

  get pool(): Pool {
    return this.api.pool;
  }

  async stop(): Promise<void> {
    await this.worker.stop();
    await this.api.stop();
    rmSync(this.directory, { recursive: true, force: true });
  }

  output(): string {
    return this.api.output() + this.worker.output();
  }

  /** A repository with files on its branch `main`, linked to the administrator's tenant. */
  async repository(files: Record<string, string>, tenantId = this.admin.tenantId): Promise<HostedRepository> {
    const row = await aRepository(this.pool, tenantId);
    const bare = join(this.directory, `${row.name}.git`);
    git(this.directory, 'init', '--quiet', '--bare', '-b', 'main', bare);
    git(bare, 'config', 'uploadpack.allowAnySHA1InWant', 'true');
    const repository = new HostedRepository(this, row, bare);
    repository.commit('main', files);
    return repository;
  }

  state(): Promise<HostState> {
    return this.control('/state');
  }

  set(fields: Record<string, unknown>): Promise<void> {
    return this.control('/set', fields);
  }

  nextCommentId(): string {
    return String(++this.comments);
  }

  async control<T>(path: string, body: unknown = {}): Promise<T> {
    const answer = await fetch(`http://127.0.0.1:${this.port}${path}`, {
      method: 'POST',
      body: JSON.stringify(body),
    });
    const value = (await answer.json()) as T;
    if (!answer.ok) throw new Error(JSON.stringify(value));
    return value;
  }
}

export class HostedRepository {
  constructor(
    private readonly service: HostedService,
    readonly row: TestRepository,
    private readonly bare: string,
  ) {}

  /** Commits files onto a branch, which begins at `main`; answers the commit. */
  commit(branch: string, files: Record<string, string>): string {
    const work = mkdtempSync(join(tmpdir(), 'work-'));
    try {
      git(work, 'init', '--quiet', '-b', branch, '.');
      for (const from of [branch, 'main']) {
        try {
          git(work, 'pull', '--quiet', this.bare, from);
          break;
        } catch {
          // The branch is new, or the repository empty.
        }
      }
      for (const [path, text] of Object.entries(files)) {
        mkdirSync(dirname(join(work, path)), { recursive: true });
        writeFileSync(join(work, path), text);
      }
      git(work, 'add', '-A');
      git(work, 'commit', '--quiet', '--allow-empty', '-m', 'change');
      git(work, 'push', '--quiet', this.bare, `HEAD:refs/heads/${branch}`);
      return git(work, 'rev-parse', 'HEAD').trim();
    } finally {
      rmSync(work, { recursive: true, force: true });
    }
  }

  /** Says what a webhook would say of a pull request. */
  async pullRequest(
    number: number,
    change: 'opened' | 'reopened' | 'updated' | 'ready' | 'closed',
    fields: PullRequestFields,
    deliveryId = `delivery-${Math.random()}`,
  ): Promise<void> {
    const pull = { baseBranch: 'main', ...fields };
    await this.service.control('/pull', { key: `${this.row.name}#${number}`, pull });
    await this.service.pool.query(
      `INSERT INTO pull_requests (repository_id, installation_id, number, title, username, branch, sha, base_branch, base_sha, state, created_at, updated_at)
       VALUES ($1, $2, $3, 'A change', 'author', $4, $7, $5, 'y', $6, now(), now())
       ON CONFLICT (repository_id, number) DO UPDATE SET state = excluded.state, branch = excluded.branch, sha = excluded.sha`,
      [
        this.row.repository,
        this.row.installation,
        number,
        pull.branch,
        pull.baseBranch,
        pull.state ?? 'open',
        git(this.bare, 'rev-parse', pull.branch).trim(),
      ],
    );
    await this.emit('pull-request', number, { change, deliveryId });
  }

  /** Somebody writes a comment. */
  async comment(
    number: number,
    body: string,
    username = 'author',
    id = this.service.nextCommentId(),
  ): Promise<void> {
    await this.emit('comment', number, { comment: { id, body, username } });
  }

  async emit(kind: string, number: number | undefined, more: Record<string, unknown>): Promise<void> {
    const rows = async (sql: string, parameters: unknown[]) =>
      (await this.service.pool.query<Record<string, unknown>>(sql, parameters)).rows[0];
    const installation = await rows(
      `SELECT id, provider, installation_id AS "installationId", tenant_id AS "tenantId", name FROM installations WHERE id = $1`,
      [this.row.installation],
    );
    const repository = await rows(
      `SELECT id, installation_id AS "installationId", provider_id AS "providerId", owner, name, default_branch AS "defaultBranch",
              clone_url AS "cloneUrl" FROM repositories WHERE id = $1`,
      [this.row.repository],
    );
    const pullRequest =
      number === undefined
        ? undefined
        : await rows(
            `SELECT id, number, title, username, branch, sha, base_branch AS "baseBranch", state FROM pull_requests
              WHERE repository_id = $1 AND number = $2`,
            [this.row.repository, number],
          );
    const event = { installation, repository, tenantId: installation?.['tenantId'], pullRequest, ...more };
    await this.service.control('/event', { kind, event });
  }
}

function git(cwd: string, ...args: string[]): string {
  const identity = ['-c', 'user.name=test', '-c', 'user.email=test@example.com'];
  return execFileSync('git', [...identity, ...args], {
    cwd,
    encoding: 'utf8',
    stdio: ['ignore', 'pipe', 'pipe'],
  });
}
