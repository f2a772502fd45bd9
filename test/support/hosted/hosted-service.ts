import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { allProcessed, type CodeHosting, startCodeHosting } from '../code-hosting.js';
import { type Admin, anAdmin, must } from '../identity.js';
import { anApiAlwaysPresent } from '../run-records.js';
import type { RunningService, ServiceOptions } from '../service.js';
import { HostedGithubRepository } from './github-repository.js';
import { HostedGitlabRepository } from './gitlab-repository.js';
import { type HostedRepository, WORKFLOW } from './hosted-repository.js';

const CLIENT = join(__dirname, '..', '..', '..', 'cli', 'bin', 'infrastate.js');
const PATIENCE_MS = 90_000;

export interface ClientOutcome {
  code: number;
  output: string;
}

/** An API and a worker, stand-ins of both code hosts, and the real client as their CI starts it. */
export class HostedService {
  private names = 0;
  private readonly gitlabGroups = new Map<string, { id: number; webhook: { url: string; secret: string } }>();
  private readonly githubAccounts = new Set<string>();

  private constructor(
    readonly hosting: CodeHosting,
    readonly admin: Admin,
    /** HOME of clients */
    private readonly home: string,
  ) {}

  static async start(home: string, options: ServiceOptions = {}): Promise<HostedService> {
    const hosting = await startCodeHosting(options);
    const admin = await anAdmin(hosting.api);
    // A run that a test makes silent is lost at once.
    await anApiAlwaysPresent(hosting.api.pool);
    return new HostedService(hosting, admin, home);
  }

  get api(): RunningService {
    return this.hosting.api;
  }

  get pool(): Pool {
    return this.api.pool;
  }

  stop(): Promise<void> {
    return this.hosting.stop();
  }

  output(): string {
    return this.api.output() + this.hosting.worker.output();
  }

  /** A repository with files on `main` and the workflow (or pipeline) file, linked to the administrator's tenant. */
  async repository(
    files: Record<string, string>,
    { provider = 'github', owner = 'acme' }: { provider?: 'github' | 'gitlab'; owner?: string } = {},
  ): Promise<HostedRepository> {
    const name = `infra-${++this.names}`;
    const processed = () => allProcessed(this.api);
    if (provider === 'gitlab') {
      const group = await this.gitlabGroup(owner);
      const all = { '.gitlab-ci.yml': 'spec: {}\n', ...files };
      const project = this.hosting.gitlab.addProject(group.id, name, all);
      project.declaredInputs.push('environment', 'runs_on');
      return new HostedGitlabRepository(this.hosting.gitlab, project, group.webhook, processed);
    }
    await this.installGithub(owner);
    const all = { '.github/workflows/infrastate.yml': WORKFLOW, ...files };
    const repository = this.hosting.github.addRepository(owner, name, all);
    return new HostedGithubRepository(this.hosting.github, repository, this.api, processed);
  }

  /** Our id of a repository; it is known once a webhook named it. */
  async repositoryId({ owner, name }: HostedRepository): Promise<string> {
    const { rows } = await this.pool.query<{ id: string }>(
      'SELECT id FROM repositories WHERE owner = $1 AND name = $2',
      [owner, name],
    );
    return rows[0]?.id ?? '';
  }

  /** Until a look answers something. */
  async eventually<T>(what: string, read: () => Promise<T | undefined | false> | T | undefined | false) {
    const end = Date.now() + PATIENCE_MS;
    for (;;) {
      const value = await read();
      if (value !== undefined && value !== false) return value;
      if (Date.now() > end)
        throw new Error(`${what} did not happen\n${this.output().split('\n').slice(-30).join('\n')}`);
      await delay(50);
    }
  }

  /** Starts a worker that was killed. The leases of lanes that it held end by themselves after a minute; now at once. */
  async revive(worker: RunningService): Promise<void> {
    await this.pool.query(`UPDATE webhook_lanes SET leased_until = now() - interval '1 second'`);
    await worker.restart();
  }

  dispatch(repository: HostedRepository, n: number) {
    return this.eventually(`dispatch ${n}`, () => repository.dispatches()[n]);
  }

  /** Starts the real client as a CI job does, with the inputs of the nth dispatch. */
  async ciJob(
    repository: HostedRepository,
    n: number,
    env: Record<string, string> = {},
  ): Promise<ClientOutcome> {
    const { inputs, env: ofJob } = await this.dispatch(repository, n);
    return this.client(['run'], {
      INFRASTATE_WORK_TOKEN: inputs['work_token'] ?? '',
      INFRASTATE_API_BASE: inputs['api_base_url'] ?? '',
      ...ofJob,
      ...env,
    });
  }

  client(args: string[], env: Record<string, string> = {}, cwd = this.home): Promise<ClientOutcome> {
    return new Promise((resolve) => {
      const child = spawn(process.execPath, [CLIENT, ...args], {
        cwd,
        env: { PATH: process.env['PATH'] ?? '', HOME: this.home, ...env },
        stdio: ['ignore', 'pipe', 'pipe'],
      });
      let output = '';
      for (const stream of [child.stdout, child.stderr])
        stream.setEncoding('utf8').on('data', (text: string) => (output += text));
      child.once('close', (code) => {
        if (code !== 0) process.stderr.write(output);
        resolve({ code: code ?? -1, output });
      });
    });
  }

  private async installGithub(account: string): Promise<void> {
    if (this.githubAccounts.has(account)) return;
    this.githubAccounts.add(account);
    const { github } = this.hosting;
    const { id } = github.install(account);
    await github.deliver(this.api, 'installation', { action: 'created', installation: { id } });
    await allProcessed(this.api);
    const { rows } = await this.pool.query<{ id: string }>(
      'SELECT id FROM installations WHERE installation_id = $1',
      [String(id)],
    );
    await must(
      this.api,
      'PUT',
      `/tenants/${this.admin.tenantId}/vcs-installations/github/${rows[0]?.id ?? ''}`,
      { as: this.admin.token },
    );
  }

  private async gitlabGroup(path: string) {
    const known = this.gitlabGroups.get(path);
    if (known) return known;
    const { gitlab } = this.hosting;
    const { id } = gitlab.addGroup(path);
    const { webhook_secret: secret } = await must<{ webhook_secret: string }>(
      this.api,
      'POST',
      `/tenants/${this.admin.tenantId}/vcs-installations/gitlab`,
      {
        as: this.admin.token,
        body: { name: path, group_id: id, access_token: gitlab.addGroupToken(id) },
      },
    );
    const webhook = { url: `${this.api.url}/api/v1/gitlab/events`, secret };
    // The first delivery only says that the webhook is there.
    await gitlab.deliver(webhook.url, secret, { object_kind: 'push' });
    await allProcessed(this.api);
    const group = { id, webhook };
    this.gitlabGroups.set(path, group);
    return group;
  }
}
