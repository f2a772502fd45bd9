import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { allProcessed, type CodeHosting, eventually, startCodeHosting } from '../support/code-hosting.js';
import type { GithubRepository } from '../support/code-hosts/github-stand-in.js';
import { type Admin, aKey, anAdmin, call } from '../support/identity.js';
import { describeWith } from '../support/terraform.js';

const ROOT = join(__dirname, '..', '..');
const run = promisify(execFile);

/** The commands of "Connect from a terminal", as they stand. */
function commands(): string {
  const text = readFileSync(join(ROOT, 'docs', 'orchestration.md'), 'utf8');
  const section = /<!-- connect:begin[\s\S]*?```sh\n([\s\S]*?)```\n<!-- connect:end -->/.exec(text)?.[1];
  if (section === undefined) throw new Error('docs/orchestration.md lost its commands');
  return section;
}

describeWith('jq', 'Connecting a repository as the documentation says', () =>
  describeWith('terraform', 'and planning and applying its first pull request', suite),
);

function suite(): void {
  let hosts: CodeHosting;
  let admin: Admin;
  let folder: string;

  beforeAll(async () => {
    hosts = await startCodeHosting();
    admin = await anAdmin(hosts.api);
    folder = mkdtempSync(join(tmpdir(), 'connect-'));
  });
  afterAll(async () => {
    await hosts.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** What the section of the README asks for, and what it points to. */
  it('has what the README names', () => {
    const readme = readFileSync(join(ROOT, 'README.md'), 'utf8');
    const section = /\n## Connect a repository\n([\s\S]*?)\n## /.exec(readme)?.[1] ?? '';
    const links = [...section.matchAll(/\]\(([^)]+)\)/g)].map(([, target]) => target ?? '');
    expect(links).toEqual(
      expect.arrayContaining(['deploy/github-app.manifest.json', 'docs/orchestration.md']),
    );
    for (const target of links) expect(existsSync(join(ROOT, target))).toBe(true);
    const [number] = /its (\w+)\s+`SERVICE_GITHUB_…` variables/.exec(section)?.slice(1) ?? [];
    const ofApp = Object.keys(hosts.github.environment).filter((key) => !key.endsWith('_BASE_URL'));
    expect([number, ofApp.length]).toEqual(['five', 5]);
    const manifest = JSON.parse(readFileSync(join(ROOT, 'deploy', 'github-app.manifest.json'), 'utf8')) as {
      hook_attributes: { url: string };
      default_events: string[];
    };
    expect(new URL(manifest.hook_attributes.url).pathname).toBe('/api/github/v1/events');
    expect(manifest.default_events).toEqual(
      expect.arrayContaining(['issue_comment', 'pull_request', 'push', 'repository', 'workflow_job']),
    );
  });

  it('leads from an installed app to a pull request that is applied', async () => {
    const state = join(folder, 'infra.tfstate');
    const configuration = (input: string) => `terraform {
  backend "local" { path = ${JSON.stringify(state)} }
}
resource "terraform_data" "network" { input = ${JSON.stringify(input)} }
`;
    const installation = hosts.github.install('acme');
    const repository = hosts.github.addRepository('acme', 'infra', { 'main.tf': configuration('old') });
    repository.permissions.set('ada', 'write');
    await hosts.github.deliver(hosts.api, 'installation', {
      action: 'created',
      installation: { id: installation.id },
    });
    await allProcessed(hosts.api);
    const group = hosts.gitlab.addGroup('platform');
    const clone = join(folder, 'infra');
    await run('git', ['clone', '-q', repository.git.directory, clone]);
    for (const [key, value] of [
      ['user.name', 'Ada'],
      ['user.email', 'ada@example.com'],
    ] as const)
      await run('git', ['-C', clone, 'config', key, value]);
    const client = join(folder, 'infrastate');
    writeFileSync(client, `#!/bin/sh\nexec "${process.execPath}" "${ROOT}/cli/dist/infrastate.cjs" "$@"\n`);
    chmodSync(client, 0o755);

    const { stdout } = await run('bash', ['-euo', 'pipefail', '-c', commands()], {
      cwd: clone,
      env: {
        PATH: [folder, process.env['PATH']].join(delimiter),
        HOME: folder,
        SERVICE: hosts.api.url,
        TOKEN: await aKey(hosts.api, admin),
        TENANT: admin.tenantId,
        ORGANIZATION: 'acme',
        GROUP_ID: String(group.id),
        GROUP_TOKEN: hosts.gitlab.addGroupToken(group.id),
      },
    });
    const [linked, url, secret, setup] = stdout.trim().split('\n');
    expect(JSON.parse(linked ?? '')).toEqual({ name: 'acme', state: 'active' });
    expect(JSON.parse(setup ?? '')).toEqual({ workflow: true, configuration: true });

    // The webhook with what was shown makes the group installed.
    expect(await hosts.gitlab.deliver(url ?? '', secret, { object_kind: 'push' })).toBe(200);
    const pull = hosts.github.addPull(repository, 'change', { 'main.tf': configuration('new') });
    await hosts.github.deliver(hosts.api, 'pull_request', {
      ...hosts.github.payloadOf(repository),
      action: 'opened',
      pull_request: { number: pull.number },
    });
    await allProcessed(hosts.api);
    const path = `/github/installations/${installation.id}`;
    const pulls = await call<{ pull_requests: object[] }>(hosts.api, 'GET', `${path}/pull-requests`, {
      as: admin.token,
    });
    expect(pulls.body.pull_requests).toMatchObject([{ owner: 'acme', name: 'infra', state: 'open' }]);
    const runs = await call<{ work_manifests: object[] }>(hosts.api, 'GET', `${path}/work-manifests`, {
      as: admin.token,
    });
    expect(runs.body.work_manifests).toMatchObject([{ run_type: 'plan', branch: 'change' }]);
    const groups = await call<{ installations: object[] }>(hosts.api, 'GET', '/gitlab/installations', {
      as: admin.token,
    });
    expect(groups.body.installations).toMatchObject([{ name: 'Platform', account_status: 'installed' }]);

    // The job of the workflow plans; what it found stands in the pull request.
    await runJob(repository, 0);
    const sha = repository.git.sha('change') ?? '';
    const statusIs = (context: string, state: string) =>
      eventually(async () => statusesOf(repository, sha)[context] === state);
    const commentWith = (text: string) =>
      eventually(async () => repository.comments.find(({ body }) => body.includes(text))?.body);
    expect(await commentWith('Plan succeeded')).toContain('terraform_data.network');
    await statusIs('infrastate plan', 'success');
    await statusIs('infrastate apply', 'pending');
    expect(existsSync(state)).toBe(false);

    // A comment applies exactly that.
    await hosts.github.deliver(hosts.api, 'issue_comment', {
      ...hosts.github.payloadOf(repository),
      action: 'created',
      issue: { number: pull.number, pull_request: {} },
      comment: { id: hosts.github.nextId(), body: 'infrastate apply', user: { login: 'ada', type: 'User' } },
    });
    await runJob(repository, 1);
    expect(await commentWith('Apply succeeded')).toContain('1 added, 0 changed, 0 destroyed');
    for (const context of ['plan', 'plan: . default', 'apply', 'apply: . default'])
      await statusIs(`infrastate ${context}`, 'success');
    expect(readFileSync(state, 'utf8')).toContain('new');
    const ended = await call<{ work_manifests: { run_type: string; state: string }[] }>(
      hosts.api,
      'GET',
      `${path}/work-manifests`,
      { as: admin.token },
    );
    expect(ended.body.work_manifests.map(({ run_type: type, state: at }) => `${type} ${at}`).sort()).toEqual([
      'apply completed',
      'plan completed',
    ]);
    expect(repository.runs).toHaveLength(2);
  }, 180_000);

  /** As the workflow's job does: the client, with the inputs that the service sent. */
  async function runJob(repository: GithubRepository, n: number): Promise<void> {
    const { id, inputs } = await eventually(async () => repository.runs[n]);
    await run(join(folder, 'infrastate'), ['run'], {
      cwd: folder,
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: folder,
        GITHUB_RUN_ID: String(id),
        INFRASTATE_WORK_TOKEN: inputs['work_token'] ?? '',
        INFRASTATE_API_BASE: inputs['api_base_url'] ?? '',
      },
    });
  }

  function statusesOf({ statuses }: GithubRepository, sha: string): Record<string, string> {
    const own = statuses.filter((status) => status.sha === sha);
    return Object.fromEntries(own.map(({ context, state }) => [context, state]));
  }
}
