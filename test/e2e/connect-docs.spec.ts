import { execFile } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { allProcessed, Browser, type CodeHosting, startCodeHosting } from '../support/code-hosting.js';
import { type Admin, aKey, anAdmin, call, must } from '../support/identity.js';
import { startCommand, type StartedCommand, startLocally } from '../support/local-start.js';
import { freePort } from '../support/service.js';
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

/** The commands between two markers of a document: one text for each block. */
function blocks(file: string, name: string): string[] {
  const text = readFileSync(join(ROOT, file), 'utf8');
  const section = new RegExp(`<!-- ${name}:begin[^]*?<!-- ${name}:end -->`).exec(text)?.[0] ?? '';
  return [...section.matchAll(/^( *)```sh\n([^]*?)^ *```$/gm)].map(([, indent = '', block = '']) =>
    block.replaceAll(new RegExp(`^${indent}`, 'gm'), ''),
  );
}

describeWith('jq', 'Connecting a repository as the documentation says', suite);
describeWith('terraform', 'Trying pull requests without a code host, as the README says', trial);

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
    for (const target of links) expect(existsSync(join(ROOT, target.replace(/#.*/, '')))).toBe(true);
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

  it('leads from an installed app to a pull request that is planned', async () => {
    const configuration = (input: string) =>
      `resource "terraform_data" "network" { input = ${JSON.stringify(input)} }\n`;
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
        IMAGE: 'registry.example.com/infrastate-runner:1',
        ORGANIZATION: 'acme',
        GROUP_ID: String(group.id),
        GROUP_TOKEN: hosts.gitlab.addGroupToken(group.id),
      },
    });
    const [linked, url, secret, setup] = stdout.trim().split('\n');
    expect(JSON.parse(linked ?? '')).toEqual({ name: 'acme', state: 'active' });
    expect(JSON.parse(setup ?? '')).toEqual({
      workflow: true,
      configuration: true,
      workflow_file: '.github/workflows/infrastate.yml',
    });
    const workflow = readFileSync(join(clone, '.github', 'workflows', 'infrastate.yml'), 'utf8');
    expect(workflow).toContain("    container: 'registry.example.com/infrastate-runner:1'\n    steps:\n");

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
  }, 180_000);
}

/** Every command of the section, with free ports and folders of its own. */
function trial(): void {
  let folder: string;
  let github: string;
  let gitlab: string;
  let stand: StartedCommand;
  let service: { url: string; stop: () => Promise<void> };

  const [[startStandIn = '', startService = '', pullRequest = ''], [mergeRequest = '']] = [
    blocks('README.md', 'try'),
    blocks('docs/orchestration.md', 'try-gitlab'),
  ];
  const here = (command: string) =>
    command
      .replaceAll('.data/code-host.env', join(folder, 'code-host.env'))
      .replaceAll('http://localhost:8077', github)
      .replaceAll('http://localhost:8078', gitlab)
      .replaceAll('localhost:8077', new URL(github).host)
      .replaceAll('localhost:8078', new URL(gitlab).host);
  const walkThrough = async (commands: string) => {
    const { PATH } = process.env;
    const script = ['-euo', 'pipefail', '-c', here(commands)];
    return (await run('bash', script, { cwd: ROOT, env: { PATH, HOME: folder, TMPDIR: folder } })).stdout;
  };

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'try-'));
    const [port, githubPort, gitlabPort] = [await freePort(), await freePort(), await freePort()];
    [github, gitlab] = [`http://localhost:${githubPort}`, `http://localhost:${gitlabPort}`];
    expect(startStandIn).toBe('npm run code-host\n');
    const choices = `--service http://localhost:${port} --github-port ${githubPort} --gitlab-port ${gitlabPort}`;
    stand = await startCommand(
      `${startStandIn.trim()} -- ${choices} --environment ${join(folder, 'code-host.env')}`,
      {},
      'Ctrl-C',
    );
    expect(startService).toBe('. .data/code-host.env && npm start\n');
    service = await startLocally({ command: here(startService).trim(), port });
  });
  afterAll(async () => {
    await service.stop();
    await stand.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  it('leads from nothing to an applied pull request at GitHub, and to an applied merge request at GitLab', async () => {
    const { session_token: token } = await must(service, 'POST', '/setup/admin', {
      body: { email: 'ada@example.com', password: 'correct horse battery', name: 'Ada', organization: 'Ada' },
    });
    const { results: tenants } = await must<{ results: { id: string; name: string }[] }>(
      service,
      'GET',
      '/user/tenants',
      { as: token },
    );
    const tenantId = tenants.find(({ name }) => name === 'Ada')?.id ?? '';
    await stand.says('knows the installation of the app');

    // What the console does for "Connect GitHub", "Connect".
    const base = `/api/v1/tenants/${tenantId}/vcs-installations/github`;
    const browser = new Browser(service, { token: token ?? '' });
    expect(await browser.walk(`${base}/claim/start?rd=/installations`)).toBe('/installations');
    const { body } = await browser.send('GET', `${base}/claimable`);
    const [claimable] = body['results'] as { login: string; installation_core_id: string }[];
    expect(claimable?.login).toBe('acme');
    const { installation_core_id } = claimable ?? {};
    expect(await browser.send('POST', `${base}/claim`, { installation_core_id })).toMatchObject({
      status: 200,
    });

    const shown = await walkThrough(pullRequest);
    expect(shown).toContain('#1 Add a subnet (open)\ninfrastate plan: success 1 directory planned');
    expect(shown).toContain('Plan: 2 to add, 0 to change, 0 to destroy.');
    expect(shown).toContain('infrastate apply: success 1 directory applied');
    const comments = `${github}/acme/infra/pull/1/comments`;
    const say = async (fields: Record<string, string>) => {
      const said = await fetch(comments, { method: 'POST', body: new URLSearchParams(fields) });
      return `${said.status} ${await said.text()}`;
    };
    expect(await say({ body: 'Thank you', as: 'grace' })).toContain('\ngrace:\nThank you\n');
    expect(await say({ body: 'Thank you', as: 'eve' })).toBe('409 as must be ada or grace\n');
    expect(await say({ body: 'Thank you', user: 'eve' })).toBe(
      '409 unknown parameter user; this form has: body, as\n',
    );
    expect(await say({ as: 'grace' })).toBe('409 body must not be empty\n');
    const page = await fetch(`${github}/acme/infra/pull/1`, { headers: { Accept: 'text/html' } });
    expect(await page.text()).toContain('#1 Add a subnet (merged)');
    const states = async () =>
      (await must<{ results: object[] }>(service, 'GET', `/tenants/${tenantId}/states`, { as: token }))
        .results;
    expect(await states()).toHaveLength(1);

    // What the console and the page of the stand-in do for "Connect a GitLab group".
    const [, groupId, groupToken] =
      /group platform \(id (\d+)\)[^]*?group access token (\S+)/.exec(stand.output()) ?? [];
    const group = await must<{ webhook_url: string; webhook_secret: string }>(
      service,
      'POST',
      `/tenants/${tenantId}/vcs-installations/gitlab`,
      { as: token, body: { name: 'Platform', group_id: Number(groupId), access_token: groupToken } },
    );
    const webhook = new URLSearchParams({ url: group.webhook_url, secret: group.webhook_secret });
    const answer = await fetch(`${gitlab}/groups/platform/-/hooks`, { method: 'POST', body: webhook });
    expect(await answer.text()).toContain(group.webhook_url);
    const merged = await walkThrough(mergeRequest);
    expect(merged).toContain('Plan: 2 to add, 0 to change, 0 to destroy.');
    expect(merged).toContain('infrastate apply: success 1 directory applied');
    expect(await states()).toHaveLength(2);
    const request = await fetch(`${gitlab}/platform/infra/-/merge_requests/1`);
    expect(await request.text()).toContain('#1 Add a subnet (merged)');
  }, 180_000);
}
