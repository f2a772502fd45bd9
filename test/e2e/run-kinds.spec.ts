import { randomUUID } from 'node:crypto';
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { cases } from '../support/endurance.js';
import { EngineMirror } from '../support/engine-mirror.js';
import { HostedGithubRepository } from '../support/hosted/github-repository.js';
import { type HostedRepository, WORKFLOW } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { must } from '../support/identity.js';

const succeeded = { code: 0, output: expect.stringContaining('') as string };

function terraform(state: string, input: string, more = ''): string {
  return `terraform {
  backend "local" { path = ${JSON.stringify(state)} }
}
resource "terraform_data" "it" { input = ${JSON.stringify(input)} }
${more}`;
}

/** Paths as `git fast-import` reads them, whatever they hold. */
function quoted(files: Record<string, string>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(files).map(([path, text]) => [/[\n"]/.test(path) ? JSON.stringify(path) : path, text]),
  );
}

describe('Runs of every kind', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-kinds-'));
    service = await HostedService.start(home);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function aRepository(
    files: Record<string, string>,
    provider: 'github' | 'gitlab' = 'github',
    owner = 'acme',
  ): Promise<HostedRepository> {
    const repository = await service.repository(files, { provider, owner });
    repository.setRole('author', 'write');
    return repository;
  }

  const commentWith = (repository: HostedRepository, text: string) =>
    service.eventually(`a comment with ${text}`, () =>
      repository.comments().find((each) => each.includes(text)),
    );

  /** Makes every schedule of a repository due. */
  async function makeDue(repository: HostedRepository): Promise<void> {
    await service.pool.query(
      `UPDATE drift_schedules SET next_at = now() - interval '1 hour' WHERE repository_id = $1`,
      [await service.repositoryId(repository)],
    );
    await repository.pushed();
  }

  /** Our id of an installation, and the provider's. */
  async function installationOf({ provider, owner }: HostedRepository) {
    const { rows } = await service.pool.query<{ id: string; installation_id: string }>(
      'SELECT id, installation_id FROM installations WHERE provider = $1 AND name = $2',
      [provider, owner],
    );
    return rows[0] ?? { id: '', installation_id: '' };
  }

  /** No push tells of what stands on the default branch of a repository that is found. */
  async function refresh(repository: HostedRepository): Promise<void> {
    const { installation_id: id } = await installationOf(repository);
    await must(service.api, 'POST', `/${repository.provider}/installations/${id}/repos/refresh`, {
      as: service.admin.token,
    });
  }

  async function linkAgain(repository: HostedRepository, meanwhile: () => void): Promise<void> {
    const { id } = await installationOf(repository);
    const path = `/tenants/${service.admin.tenantId}/vcs-installations/${repository.provider}/${id}`;
    await must(service.api, 'DELETE', path, { as: service.admin.token });
    meanwhile();
    await must(service.api, 'PUT', path, { as: service.admin.token });
  }

  /** As the console does it. */
  async function startNow(repository: HostedRepository, schedule: string): Promise<void> {
    const { rows } = await service.pool.query<{ installation: string; repository: string }>(
      `SELECT i.installation_id AS installation, r.provider_id AS repository
         FROM repositories r JOIN installations i ON i.id = r.installation_id WHERE r.id = $1`,
      [await service.repositoryId(repository)],
    );
    const of = `/github/installations/${rows[0]?.installation}/repos/${rows[0]?.repository}`;
    const started = await must<{ work_manifest_ids: string[] }>(
      service.api,
      'POST',
      `${of}/drift-schedules/${schedule}/start`,
      { as: service.admin.token },
    );
    expect(started.work_manifest_ids).toHaveLength(1);
  }

  it.each(['github', 'gitlab'] as const)(
    'finds drift at %s, keeps one issue about it, and closes it when the drift is gone',
    async (provider) => {
      const state = join(home, `drift-${provider}.tfstate`);
      const repository = await aRepository(
        {
          'a/main.tf': terraform(state, 'as it should be'),
          '.infrastate/config.yml': `drift: {enabled: true, schedules: {all: {schedule: hourly}}}
hooks: {plan: {post: [{type: drift_create_issue}]}}
`,
        },
        provider,
        `drifting-${provider}`,
      );
      await (provider === 'github' ? refresh(repository) : repository.pushed());
      expect(await service.ciJob(repository, 0)).toEqual(succeeded);
      const [issue] = await service.eventually('the issue', () => {
        const open = repository.openIssues();
        return open.length > 0 && open;
      });
      expect(issue?.title).toBe(`Drift: ${repository.owner}/${repository.name}`);
      expect(issue?.body).toContain('terraform_data.it');
      const runsDone = async (count: number) =>
        service.eventually(`${count} runs`, async () => {
          const { rows } = await service.pool.query(
            `SELECT 1 FROM work_manifests WHERE repository_id = $1 AND reported_at IS NOT NULL`,
            [await service.repositoryId(repository)],
          );
          return rows.length === count;
        });
      await runsDone(1);
      await (provider === 'github' ? startNow(repository, 'all') : makeDue(repository));
      expect(await service.ciJob(repository, 1)).toEqual(succeeded);
      await runsDone(2);
      expect(repository.openIssues()).toEqual([issue]);
      // Reconciled, nothing differs any more.
      repository.commit('main', {
        '.infrastate/config.yml': `drift: {enabled: true, schedules: {all: {schedule: hourly, reconcile: true}}}\n`,
      });
      await repository.pushed();
      expect(await service.ciJob(repository, 2)).toEqual(succeeded);
      await runsDone(3);
      expect(readFileSync(state, 'utf8')).toContain('as it should be');
      repository.commit('main', {
        '.infrastate/config.yml': `drift: {enabled: true, schedules: {all: {schedule: hourly}}}
hooks: {plan: {post: [{type: drift_create_issue}]}}
`,
      });
      await repository.pushed();
      expect(await service.ciJob(repository, 3)).toEqual(succeeded);
      await service.eventually('the end of the issue', () => repository.openIssues().length === 0);
      if (provider === 'gitlab') return;
      // What was pushed while the installation was not linked is read with the link.
      await linkAgain(repository, () => {
        const config = 'drift: {enabled: true, schedules: {linked: {schedule: hourly}}}\n';
        repository.commit('main', { '.infrastate/config.yml': config });
      });
      await service.dispatch(repository, 4);
    },
    300_000,
  );

  it('looks at module calls and links before it plans, once for a commit', async () => {
    const state = join(home, 'modules.tfstate');
    const repository = await aRepository({
      'live/main.tf': terraform(state, 'x', 'module "net" { source = "../modules/net" }\n'),
      'other/main.tf': terraform(join(home, 'other.tfstate'), 'x'),
      'modules/net/main.tf': 'resource "terraform_data" "net" {}\n',
      '.infrastate/config.yml': 'indexer: {enabled: true}\n',
    });
    const number = await repository.open('topic', {
      'modules/net/main.tf': 'resource "terraform_data" "net" { input = "changed" }\n',
    });
    const sha = repository.sha('topic');
    expect(repository.statuses(sha)['infrastate plan']).toMatchObject({ state: 'pending' });
    expect(await service.ciJob(repository, 0)).toEqual(succeeded);
    expect(await service.ciJob(repository, 1)).toEqual(succeeded);
    // An index runs nothing of the head, and is made where nobody can push without a review.
    expect(repository.dispatches().map(({ ref }) => ref)).toEqual(['main', 'topic']);
    const comment = await commentWith(repository, 'Plan succeeded');
    expect(comment).toContain('`live`');
    expect(comment).not.toContain('`modules/net`');
    expect(comment).not.toContain('`other`');
    expect(repository.comments()).toHaveLength(1);
    // The index of the commit is there: the next plan needs no run for it.
    await repository.comment(number, 'infrastate plan');
    expect((await service.ciJob(repository, 2)).output).toContain('plan of 1 directory');
  }, 240_000);

  it('takes the configuration from a command of the base branch, and says what is wrong with it', async () => {
    const builder = `config_builder: {enabled: true, cmd: [sh, build.sh]}\n`;
    const repository = await aRepository({
      'a/main.tf': terraform(join(home, 'built-a.tfstate'), 'x'),
      'b/main.tf': terraform(join(home, 'built-b.tfstate'), 'x'),
      'build.sh': 'echo "dirs: {b: {enabled: false}}"\n',
      '.infrastate/config.yml': builder,
    });
    await repository.open('topic', {
      'a/main.tf': terraform(join(home, 'built-a.tfstate'), 'y'),
      'b/main.tf': terraform(join(home, 'built-b.tfstate'), 'y'),
      // The command of the head does not count, what it runs in the checkout does.
      '.infrastate/config.yml': 'config_builder: {enabled: true, cmd: [sh, -c, "exit 1"]}\n',
    });
    expect(await service.ciJob(repository, 0)).toEqual(succeeded);
    const commandsOf = async (of: HostedRepository) =>
      (
        await service.pool.query(
          `SELECT run_type, spec -> 'command' AS command FROM work_manifests WHERE repository_id = $1 ORDER BY created_at LIMIT 1`,
          [await service.repositoryId(of)],
        )
      ).rows;
    expect(await commandsOf(repository)).toEqual([{ run_type: 'build-config', command: ['sh', 'build.sh'] }]);
    // What the command reads and runs of the head has the rights of the head's branch, and not those of the default one.
    expect(repository.dispatches()[0]?.ref).toBe('topic');
    const without = await aRepository({ 'a/main.tf': '' });
    await without.open('topic', {
      'a/main.tf': '#',
      '.infrastate/config.yml': 'config_builder: {enabled: true, cmd: [sh, -c, "touch /tmp/pwned"]}\n',
    });
    await service.dispatch(without, 0);
    expect(await commandsOf(without)).toEqual([{ run_type: 'plan', command: null }]);
    expect(await service.ciJob(repository, 1)).toEqual(succeeded);
    const comment = await commentWith(repository, 'Plan succeeded');
    expect(comment).toContain('`a`');
    expect(comment).not.toContain('`b`');
    await repository.open('bad', { 'build.sh': 'echo "dirz: {}"\n', 'a/main.tf': '# changed\n' });
    expect(await service.ciJob(repository, 2)).toEqual(succeeded);
    expect(await commentWith(repository, 'unknown key')).toContain('dirz');
    await repository.open('broken', { 'build.sh': 'echo oh no; exit 3\n', 'a/main.tf': '# again\n' });
    expect((await service.ciJob(repository, 3)).code).toBe(1);
    expect(await commentWith(repository, 'Configuration builder failed')).toContain('oh no');
    await service.eventually(
      'the status',
      () => repository.statuses(repository.sha('broken'))['infrastate plan']?.state === 'failure',
    );

    // Drift of the default branch counts as the command says for its commit.
    repository.commit('main', {
      '.infrastate/config.yml': `${builder}drift: {enabled: true, schedules: {all: {schedule: daily}}}\n`,
    });
    await repository.pushed();
    expect(await service.ciJob(repository, 4)).toEqual(succeeded);
    expect(repository.dispatches()[4]?.ref).toBe('main');
    expect((await service.ciJob(repository, 5)).output).toContain('plan of 1 directory');
    const { rows } = await service.pool.query(
      `SELECT d.dir FROM work_manifest_dirspaces d WHERE d.repository_id = $1 AND d.kind = 'drift'`,
      [await service.repositoryId(repository)],
    );
    expect(rows).toEqual([{ dir: 'a' }]);
  }, 240_000);

  it('applies by itself what may, and only for who could have said so', async () => {
    const config = { '.infrastate/config.yml': 'when_modified: {autoapply: true}\n' };
    const state = join(home, 'auto.tfstate');
    const repository = await aRepository({ 'a/main.tf': '', ...config });
    await repository.open('mine', { 'a/main.tf': terraform(state, 'x') });
    expect(await service.ciJob(repository, 0)).toEqual(succeeded);
    expect(await service.ciJob(repository, 1)).toEqual(succeeded);
    await commentWith(repository, 'Apply succeeded');
    expect(existsSync(state)).toBe(true);
    await repository.close(1);
    // A pull request cannot give its author the right to apply.
    const stranger = await repository.open(
      'theirs',
      { 'a/main.tf': terraform(state, 'theirs') },
      { author: 'stranger' },
    );
    expect(await service.ciJob(repository, 2)).toEqual(succeeded);
    await service.eventually('the plan', () => repository.comments(stranger).length === 1);
    await service.eventually(
      'the statuses',
      () => repository.statuses(repository.sha('theirs'))['infrastate plan']?.state === 'success',
    );
    expect(repository.dispatches()).toHaveLength(3);
  }, 240_000);

  it('plans a directory once what it depends on is applied, by the engine of the mirror, and merges at the end', async () => {
    // No tofu is needed: this one passes everything on to terraform, and says that it was there.
    const calls = join(home, 'tofu-calls');
    const engine = { name: 'tofu', version: '9.8.7' };
    const mirror = await EngineMirror.start(
      engine,
      `#!/bin/sh\necho "$1" >> '${calls}'\nexec terraform "$@"\n`,
    );
    const env = { INFRASTATE_ENGINE_MIRROR: mirror.url, INFRASTATE_ENGINE_CACHE: join(home, 'engines') };
    const repository = await aRepository({
      'base/main.tf': terraform(join(home, 'layer-base.tfstate'), 'x'),
      'app/main.tf': terraform(join(home, 'layer-app.tfstate'), 'x'),
      '.infrastate/config.yml': `engine: ${JSON.stringify(engine)}\ndirs: {app: {depends_on: [base]}}\nautomerge: {enabled: true}\n`,
    });
    const number = await repository.open('topic', {
      'base/main.tf': terraform(join(home, 'layer-base.tfstate'), 'y'),
      'app/main.tf': terraform(join(home, 'layer-app.tfstate'), 'y'),
    });
    expect(await service.ciJob(repository, 0, env)).toEqual(succeeded);
    expect(await commentWith(repository, 'Plan succeeded')).toContain('Planned once what they depend on');
    await repository.comment(number, 'infrastate apply');
    expect(await service.ciJob(repository, 1, env)).toEqual(succeeded);
    // The next layer needs no comment to be planned.
    expect(await service.ciJob(repository, 2, env)).toEqual(succeeded);
    await service.eventually('the second plan', () =>
      repository.comments().some((text) => text.includes('Plan succeeded') && text.includes('`app`')),
    );
    const sha = repository.sha('topic');
    expect(repository.statuses(sha)['infrastate apply']?.state).toBe('pending');
    expect(repository.isMerged(number)).toBe(false);
    await repository.comment(number, 'infrastate apply');
    expect(await service.ciJob(repository, 3, env)).toEqual(succeeded);
    await service.eventually('the merge', () => repository.isMerged(number));
    mirror.stop();
    // One download for four runs.
    expect(mirror.requests).toEqual(mirror.oneDownload);
    const commands = readFileSync(calls, 'utf8').trim().split('\n');
    for (const command of ['init', 'plan', 'apply'])
      expect([command, commands.filter((each) => each === command).length]).toEqual([
        command,
        command === 'init' ? 4 : 2,
      ]);
  }, 240_000);

  /** With states of the service, so that every plan and apply is a transaction (mode `delta`). */
  it.each(cases<'gitlab' | 'pool'>(['gitlab'], ['pool']))(
    'plans layer by layer, asks for approvals, applies what was planned and merges, at %s',
    async (place) => {
      const [base, app] = [randomUUID(), randomUUID()];
      const resource = (value: string) => `resource "terraform_data" "it" { input = "${value}" }\n`;
      const { token } =
        place === 'pool'
          ? await must<{ token: string }>(
              service.api,
              'POST',
              `/tenants/${service.admin.tenantId}/runner-pools`,
              { as: service.admin.token, body: { name: 'layers' } },
            )
          : { token: '' };
      const repository = await aRepository(
        {
          'base/main.tf': '',
          'app/main.tf': '',
          '.infrastate/config.yml': `${place === 'pool' ? 'run: {on: pool, pool: layers}\n' : ''}automerge: {enabled: true}
dirs:
  base: {state: {group_id: ${base}}}
  app: {state: {group_id: ${app}}, depends_on: [base]}
hooks: {plan: {post: [{type: gates, cmd: [echo, '{"gates": [{"token": "ok", "any_of": ["boss"]}]}']}]}}
`,
        },
        place === 'gitlab' ? 'gitlab' : 'github',
      );
      repository.setRole('boss', 'write');
      const documentOf = async (group: string) =>
        JSON.stringify(
          await must(service.api, 'GET', `/states/backend/${group}`, { as: service.admin.token }),
        );
      const waits = async () =>
        (
          await service.pool.query(
            `SELECT 1 FROM work_manifests WHERE repository_id = $1 AND state = 'queued'`,
            [await service.repositoryId(repository)],
          )
        ).rowCount !== 0;
      let jobs = 0;
      const job = async (): Promise<void> => {
        const env = { INFRASTATE_POOL_TOKEN: token, INFRASTATE_API_BASE: service.api.url };
        if (place === 'pool') await service.eventually('work', waits);
        const ran =
          place === 'pool' ? service.client(['runner', '--once'], env) : service.ciJob(repository, jobs);
        expect(await ran).toEqual(succeeded);
        jobs += 1;
      };
      const number = await repository.open('topic', {
        'base/main.tf': resource('of the base'),
        'app/main.tf': resource('of the app'),
      });
      const planOf = (dir: string) =>
        service.eventually(`the plan of ${dir}`, () =>
          repository
            .comments()
            .find((text) => text.includes('Plan succeeded') && text.includes(`| \`${dir}\``)),
        );
      await job();
      const first = await planOf('base');
      expect(first).toContain('`+1 ~0 -0`');
      expect(first).toContain('Planned once what they depend on is applied:\n- `app`');
      expect(first).toContain('infrastate gate approve ok');
      await repository.comment(number, 'infrastate apply');
      expect(repository.comments().at(-1)).toContain('the gate `ok` needs 1 of boss');
      await repository.comment(number, 'infrastate gate approve ok', { username: 'boss' });
      await repository.comment(number, 'infrastate apply');
      await job();
      expect(await documentOf(base)).toContain('of the base');
      // The next layer needs no comment to be planned.
      await job();
      await planOf('app');
      const statusOf = (context: string) => repository.statuses(repository.sha('topic'))[context]?.state;
      expect([statusOf('infrastate apply'), repository.isMerged(number)]).toEqual(['pending', false]);
      await repository.comment(number, 'infrastate gate approve ok', { username: 'boss' });
      await repository.comment(number, 'infrastate apply');
      await job();
      await service.eventually('the merge', () => repository.isMerged(number));
      expect(await documentOf(app)).toContain('of the app');
      expect(repository.dispatches()).toHaveLength(place === 'pool' ? 0 : 4);
      const { rows } = await service.pool.query(
        `SELECT DISTINCT t.kind, t.state, t.tags ->> 'provider' AS provider FROM transactions t
           JOIN transaction_states ts ON ts.tx_id = t.id JOIN states s ON s.id = ts.state_id WHERE s.group_id IN ($1, $2)`,
        [base, app],
      );
      expect(rows).toEqual([{ kind: 'plan', state: 'committed', provider: repository.provider }]);
    },
    240_000,
  );

  it('gives odd directories no shell', async () => {
    const odd = [
      '-rf',
      '$(touch pwned)',
      'with space',
      'quote"and`tick',
      "it's; touch pwned",
      'new\nline; touch pwned',
    ];
    const files = Object.fromEntries(
      odd.map((dir, n) => [`${dir}/main.tf`, terraform(join(home, `odd-${n}.tfstate`), 'x')]),
    );
    const repository = await aRepository({ 'readme.md': '' });
    const number = await repository.open('topic', quoted(files));
    expect(await service.ciJob(repository, 0)).toEqual(succeeded);
    const comment = await commentWith(repository, 'Plan succeeded');
    // One row of the table for each: a newline in a name begins none.
    expect(comment.split('\n').filter((line) => line.startsWith('| `'))).toHaveLength(odd.length);
    expect(comment.match(/`\+1 ~0 -0`/g)).toHaveLength(odd.length);
    await repository.comment(number, 'infrastate apply dir:-rf');
    expect(await service.ciJob(repository, 1)).toEqual(succeeded);
    expect(existsSync(join(home, 'odd-0.tfstate'))).toBe(true);
    expect(existsSync(join(home, 'odd-1.tfstate'))).toBe(false);
    expect(existsSync(join(home, 'pwned'))).toBe(false);
  }, 240_000);

  it('gives forged trees and links no file, no directory and no configuration outside of the checkout', async () => {
    const repository = await aRepository({ 'a/main.tf': '', 'b/main.tf': '' });
    if (!(repository instanceof HostedGithubRepository)) throw new Error('another host');
    const { git } = repository.repository;
    const file = (text: string, mode = '100644') => ({ mode, text });
    const workflow = { '.github/workflows/infrastate.yml': file(WORKFLOW) };
    const changed = (name: string) => file(terraform(join(home, `${name}.tfstate`), name));
    const temporary = mkdtempSync(join(home, 'tmp-'));
    const evil = file(`#!/bin/sh\ntouch ${JSON.stringify(join(home, 'forged'))}\n`, '100755');

    // Git writes no such tree, and may be given one.
    git.forge('forged', {
      ...workflow,
      'a/main.tf': changed('forged'),
      '../x/main.tf': file('resource "terraform_data" "x" {}'),
      '../../escaped': evil,
      '.git/hooks/post-checkout': evil,
      '.git/hooks/post-merge': evil,
    });
    const forged = await repository.open('forged', {});
    expect((await service.ciJob(repository, 0, { TMPDIR: temporary })).code).toBe(1);
    const failure = await service.eventually('the failure', () => repository.comments(forged)[0]);
    expect(failure).toContain('invalid path');
    expect(failure).not.toContain('`../x`');

    // A directory that is a link is none, and one that becomes a link on the machine is refused.
    const replace = 'rm -r b && ln -s ../../.. b';
    git.forge('links', {
      ...workflow,
      'a/main.tf': changed('links'),
      'b/main.tf': changed('replaced'),
      c: file('../..', '120000'),
      d: file('a', '120000'),
      '.infrastate/config.yml': file(
        `dirs: {c: {tags: [x]}, d: {tags: [x]}}\nhooks: {plan: {pre: [{type: run, cmd: [sh, -c, '${replace}']}]}}\n`,
      ),
    });
    const links = await repository.open('links', {});
    expect((await service.ciJob(repository, 1, { TMPDIR: temporary })).code).toBe(1);
    const comment = await service.eventually('the plan', () => repository.comments(links)[0]);
    expect(comment.split('\n').filter((line) => /^\| `[abcd]`/.test(line))).toHaveLength(2);
    expect(comment).toContain('the directory must be inside of the checkout');
    expect(comment).toContain('`+1 ~0 -0`');
    expect(readdirSync(temporary).filter((name) => !name.startsWith('node-'))).toEqual([]);
    expect(existsSync(join(home, 'forged'))).toBe(false);

    // Neither is the configuration looked for behind a link.
    git.forge('linked', {
      ...workflow,
      'a/main.tf': changed('linked'),
      '.infrastate': file('elsewhere', '120000'),
      'elsewhere/config.yml': file('dirs: {a: {enabled: false}}\n'),
    });
    await repository.open('linked', {});
    await service.dispatch(repository, 2);
  }, 240_000);

  it('shows what a plan prints as text: no markdown, no mention, no escape codes, and cut to size', async () => {
    const state = join(home, 'hostile.tfstate');
    const repository = await aRepository({ 'a/main.tf': '' });
    await repository.open('topic', {
      'a/main.tf': terraform(
        state,
        '``` </details> @acme/everyone fixes #1 \u001b[31mred',
        `resource "terraform_data" "long" { input = "${'x'.repeat(5_000_000)}" }\n`,
      ),
    });
    expect(await service.ciJob(repository, 0)).toEqual(succeeded);
    const comment = await commentWith(repository, 'Plan succeeded');
    expect(comment.length).toBeLessThanOrEqual(65_536);
    expect(comment).not.toContain('\u001b');
    expect(comment).toContain('`+2 ~0 -0`');
    // The block is fenced by more backticks than anything within it.
    const fence = /\n(`{4,})\n/.exec(comment)?.[1] ?? '';
    expect(fence.length).toBeGreaterThan(3);
    expect(comment.split(fence)).toHaveLength(3);
  }, 240_000);
});
