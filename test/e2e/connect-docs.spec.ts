import { execFile } from 'node:child_process';
import { chmodSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { allProcessed, type CodeHosting, startCodeHosting } from '../support/code-hosting.js';
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

describeWith('jq', 'Connecting a repository as the documentation says', () => {
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

  it('leads from an installed app to a pull request that is planned', async () => {
    const installation = hosts.github.install('acme');
    const repository = hosts.github.addRepository('acme', 'infra', { 'main.tf': 'resource "a" "b" {}\n' });
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
    const pull = hosts.github.addPull(repository, 'change', { 'main.tf': 'resource "a" "c" {}\n' });
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
  });
});
