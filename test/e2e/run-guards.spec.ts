import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HostedGithubRepository } from '../support/hosted/github-repository.js';
import { type HostedRepository, WORKFLOW } from '../support/hosted/hosted-repository.js';
import { HostedService } from '../support/hosted/hosted-service.js';
import { PlayedRunner } from '../support/hosted/played-runner.js';
import { must } from '../support/identity.js';

describe('A runner that does what it must not', () => {
  let service: HostedService;
  let home: string;

  beforeAll(async () => {
    home = mkdtempSync(join(tmpdir(), 'run-guards-'));
    service = await HostedService.start(home);
  });
  afterAll(async () => {
    await service.stop();
    rmSync(home, { recursive: true, force: true });
  });

  async function aRepository(
    config = '',
    provider: 'github' | 'gitlab' = 'github',
  ): Promise<HostedRepository> {
    const files = { 'a/main.tf': '', '.infrastate/config.yml': config };
    const repository = await service.repository(files, { provider });
    repository.setRole('author', 'write');
    return repository;
  }

  async function begun(
    repository: HostedRepository,
    n: number,
    fields: Record<string, unknown> = {},
  ): Promise<PlayedRunner> {
    const { inputs } = await service.dispatch(repository, n);
    const runner = new PlayedRunner(service, inputs['work_token'] ?? '');
    await runner.initiate(fields);
    return runner;
  }

  async function rowsOf<Row extends object>(repository: HostedRepository, sql: string): Promise<Row[]> {
    const { rows } = await service.pool.query<Row>(sql, [await service.repositoryId(repository)]);
    return rows;
  }

  const reported = (repository: HostedRepository) =>
    service.eventually('the report', async () => {
      const rows = await rowsOf(
        repository,
        `SELECT 1 FROM work_manifests WHERE repository_id = $1 AND state IN ('completed', 'aborted') AND reported_at IS NULL`,
      );
      return rows.length === 0;
    });

  /** The nth run is a plan with changes; until its comment stands. */
  async function planResults(repository: HostedRepository, n: number): Promise<void> {
    const runner = await begun(repository, n);
    await runner.plan('the plan');
    await runner.results({ has_changes: true });
    await reported(repository);
  }

  /** The newest upload of a plan file, once it is another one than `before`. */
  const uploadAfter = (repository: HostedRepository, before: string | null): Promise<string> =>
    service.eventually('an upload', async () => {
      const [row] = await rowsOf<{ id: string | null }>(
        repository,
        'SELECT plan_upload_id AS id FROM work_manifest_dirspaces WHERE repository_id = $1',
      );
      return row?.id !== null && row?.id !== before && row?.id;
    });

  const partsOf = async (repository: HostedRepository): Promise<number> =>
    (
      await rowsOf(
        repository,
        'SELECT 1 FROM plan_file_parts p JOIN work_manifests m ON m.id = p.work_manifest_id WHERE repository_id = $1',
      )
    ).length;

  it('ends no transaction that its run has not begun, of whichever tenant', async () => {
    const as = service.admin.token;
    const { state_schema_version: version } = await must<{ state_schema_version: number }>(
      service.api,
      'GET',
      '/version',
      { as },
    );
    const other = await must<{ id: string }>(service.api, 'POST', '/tenants', {
      as,
      body: { name: 'other' },
    });
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    for (const [n, tenantId] of [other.id, service.admin.tenantId].entries()) {
      const { id } = await must<{ id: string }>(service.api, 'POST', `/tenants/${tenantId}/tx/create`, {
        as,
        body: { state_schema_version: version, tags: {} },
      });
      const runner = await begun(repository, n);
      await runner.plan('the plan');
      await runner.results({ has_changes: true, transaction_id: id });
      await reported(repository);
      const named = await rowsOf(
        repository,
        'SELECT 1 FROM work_manifest_dirspaces WHERE repository_id = $1 AND transaction_id IS NOT NULL',
      );
      expect(named).toEqual([]);
      // As if a release that stored every id had stored it.
      await rowsOf(
        repository,
        `UPDATE work_manifest_dirspaces SET transaction_id = '${id}' WHERE repository_id = $1 AND state = 'success'`,
      );
      await repository.comment(number, 'infrastate plan');
      await service.dispatch(repository, n + 1);
      const { rows } = await service.pool.query('SELECT state FROM transactions WHERE id = $1', [id]);
      expect(rows).toEqual([{ state: 'open' }]);
      await rowsOf(
        repository,
        'UPDATE work_manifest_dirspaces SET transaction_id = NULL WHERE repository_id = $1',
      );
    }
  });

  it('begins no apply at a commit that came after it was asked for', async () => {
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    await planResults(repository, 0);
    await repository.open('other', { 'a/main.tf': '# other' });
    const other = await begun(repository, 1);
    await repository.comment(number, 'infrastate apply');
    const approved = repository.sha('topic');
    // The webhook of this push has not arrived yet.
    const pushed = repository.commit('topic', {
      '.github/workflows/infrastate.yml': `${WORKFLOW}# another\n`,
    });
    await other.results({ has_changes: true });
    const text = await service.eventually('the comment', () =>
      repository.comments(number).find((each) => each.includes('Apply aborted')),
    );
    expect(text).toContain('`SUPERSEDED`');
    expect(text).toContain(
      `asked for at ${approved.slice(0, 12)}, and the branch is at ${pushed.slice(0, 12)}`,
    );
    await reported(repository);
    expect(repository.dispatches()).toHaveLength(2);
    expect(await rowsOf(repository, 'SELECT 1 FROM dirspace_holds WHERE repository_id = $1')).toEqual([]);
  });

  it.each(['github', 'gitlab'] as const)(
    'begins no apply at a commit that comes while its CI run is started at %s',
    async (provider) => {
      const repository = await aRepository('', provider);
      const number = await repository.open('topic', { 'a/main.tf': '#' });
      await planResults(repository, 0);
      const approved = repository.sha('topic');
      const host = service.hosting[provider];
      let pushed = '';
      host.disturb = (line) => {
        if (pushed === '' && /^POST .*(dispatches|pipeline)$/.test(line))
          pushed = repository.commit('topic', { 'a/other.tf': '#' });
        return undefined;
      };
      await repository.comment(number, 'infrastate apply');
      const text = await service.eventually('the comment', () =>
        repository.comments(number).find((each) => each.includes('Apply aborted')),
      );
      host.disturb = undefined;
      expect(text).toContain(
        `asked for at ${approved.slice(0, 12)}, and its CI run was started at ${pushed.slice(0, 12)}`,
      );
      await reported(repository);
      const { inputs, runId } = await service.dispatch(repository, 1);
      await service.eventually(
        'the end of the CI run',
        () => host.requests(new RegExp(`/${runId}/cancel`)).length > 0,
      );
      const late = new PlayedRunner(service, inputs['work_token'] ?? '');
      await expect(late.initiate()).rejects.toThrow('RUN_ENDED');
      expect(await rowsOf(repository, 'SELECT 1 FROM dirspace_holds WHERE repository_id = $1')).toEqual([]);
    },
  );

  it('stores no plan file that ends after the run has', async () => {
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#' });
    const runner = await begun(repository, 0);
    await runner.plan('the plan that people read');
    const late = runner.beginPlan('another ');
    await uploadAfter(repository, await uploadAfter(repository, null));
    await runner.results({ has_changes: true });
    await reported(repository);
    late.end('plan');
    expect(await late.status).toBe(409);
    await repository.comment(number, 'infrastate apply');
    const apply = await begun(repository, 1);
    expect(await apply.readPlan()).toBe('the plan that people read');
    expect(await partsOf(repository)).toBe(1);
  });

  it('keeps no connection to the database while a plan file arrives, and one upload at a time', async () => {
    const repository = await aRepository();
    await repository.open('topic', { 'a/main.tf': '#' });
    const runner = await begun(repository, 0);
    const uploads: ReturnType<PlayedRunner['beginPlan']>[] = [];
    let last: string | null = null;
    // More than an API process has connections.
    for (let n = 0; n < 24; n++) {
      uploads.push(runner.beginPlan('the '));
      last = await uploadAfter(repository, last);
    }
    await runner.send('POST', 'heartbeat');
    for (const upload of uploads) upload.end('plan');
    const answers = await Promise.all(uploads.map(({ status }) => status));
    expect(answers).toEqual([...Array.from({ length: 23 }, () => 409), 204]);
    expect(await partsOf(repository)).toBe(1);
    await runner.results({ has_changes: true });
    await reported(repository);
  });

  /** Two pull requests with plans of one directory; the apply of the first has begun, and it is closed. */
  async function closedDuringApply() {
    const repository = await aRepository();
    const one = await repository.open('topic', { 'a/main.tf': '#' });
    await planResults(repository, 0);
    const two = await repository.open('other', { 'a/main.tf': '# other' });
    await planResults(repository, 1);
    await repository.comment(one, 'infrastate apply');
    const apply = await begun(repository, 2);
    await repository.close(one);
    const says = async (text: string): Promise<string> => {
      const before = repository.comments(two).length;
      await repository.comment(two, text);
      return repository.comments(two).slice(before).join('\n');
    };
    const holds = () => rowsOf(repository, 'SELECT 1 FROM dirspace_holds WHERE repository_id = $1');
    return { repository, one, apply, says, holds };
  }

  it('holds what it applies for a pull request that is closed meanwhile, until that has ended', async () => {
    const { repository, one, apply, says, holds } = await closedDuringApply();
    expect(await holds()).toHaveLength(1);
    expect(await says('infrastate apply')).toContain(`held by #${one}`);
    expect(await says(`infrastate unlock ${one}`)).toContain(`an apply of #${one} is under way`);
    await apply.results({ success: false }, { success: false });
    await reported(repository);
    expect(await holds()).toEqual([]);
    expect(await says('infrastate apply')).toContain('Comment `infrastate plan` first');
    await says('infrastate plan');
    await planResults(repository, 3);
    expect(await says('infrastate apply')).toBe('');
    await begun(repository, 4);
  });

  it('holds what it applied for a closed pull request and was given up, until somebody has looked', async () => {
    const { repository, one, says, holds } = await closedDuringApply();
    await rowsOf(
      repository,
      `UPDATE work_manifests SET heartbeat_at = now() - interval '5 minutes' WHERE repository_id = $1 AND state = 'running'`,
    );
    await service.eventually('the end of the run', async () => {
      const rows = await rowsOf(
        repository,
        `SELECT 1 FROM work_manifests WHERE repository_id = $1 AND error_id = 'RUN_LOST'`,
      );
      return rows.length > 0;
    });
    await reported(repository);
    expect(await holds()).toHaveLength(1);
    expect(await says('infrastate apply')).toContain('Comment `infrastate plan` first');
    await says('infrastate plan');
    await planResults(repository, 3);
    expect(await says('infrastate apply')).toContain(`comment \`infrastate unlock ${one}\``);
    expect(await says(`infrastate unlock ${one}`)).toContain('Unlocked: 1 directory');
    expect(await holds()).toEqual([]);
    expect(await says('infrastate apply')).toBe('');
    await begun(repository, 4);
  });

  it('applies beside no apply of another pull request where nobody holds', async () => {
    const repository = await aRepository('dirs: {a: {lock_policy: none}}\n');
    const one = await repository.open('topic', { 'a/main.tf': '#' });
    await planResults(repository, 0);
    const two = await repository.open('other', { 'a/main.tf': '# other' });
    await planResults(repository, 1);
    await repository.comment(one, 'infrastate apply');
    await begun(repository, 2);
    await repository.comment(two, 'infrastate apply');
    expect(repository.comments(two).at(-1)).toContain(
      `an apply of \`a\` (\`default\`) for #${one} is under way`,
    );
    expect(repository.dispatches()).toHaveLength(3);
  });

  it('neither cancels nor fails the CI run of another run, whatever id its runner names', async () => {
    const repository = await aRepository();
    const one = await repository.open('topic', { 'a/main.tf': '#' });
    await planResults(repository, 0);
    await repository.comment(one, 'infrastate apply');
    const { runId } = await service.dispatch(repository, 1);
    const two = await repository.open('other', { 'b/main.tf': '#' });
    const plan = await service.dispatch(repository, 2);
    const known = () =>
      service.eventually('the ids', async () => {
        const rows = await rowsOf<{ run_id: string | null }>(
          repository,
          'SELECT run_id FROM work_manifests WHERE repository_id = $1 ORDER BY created_at',
        );
        return rows.every(({ run_id: id }) => id !== null) && rows.map(({ run_id: id }) => id).slice(1);
      });
    await known();
    const apply = await begun(repository, 1, { run_id: '777' });
    const runner = await begun(repository, 2, { run_id: runId });
    expect(await known()).toEqual([runId, plan.runId]);
    await repository.jobFailed('777');
    await apply.send('POST', 'heartbeat');
    await expect(runner.initiate({ run_id: '778' })).rejects.toThrow('RUN_ALREADY_STARTED');
    await runner.initiate({ run_id: runId });

    // As if the code host had not said which CI run it started.
    await rowsOf(
      repository,
      `UPDATE work_manifests SET run_id = '${runId}' WHERE repository_id = $1 AND run_type = 'plan'`,
    );
    await repository.close(two);
    await reported(repository);
    if (!(repository instanceof HostedGithubRepository)) throw new Error('not at GitHub');
    const ciRun = repository.repository.runs.find(({ id }) => String(id) === runId);
    expect(ciRun?.conclusion).toBeNull();
  });

  const idsOf = async (repository: HostedRepository): Promise<(string | null)[]> => {
    const rows = await rowsOf<{ run_id: string | null }>(
      repository,
      'SELECT run_id FROM work_manifests WHERE repository_id = $1 ORDER BY created_at',
    );
    return rows.map(({ run_id: id }) => id);
  };
  const endOfCiRun = (repository: HostedRepository, runId: string): string | null => {
    if (!(repository instanceof HostedGithubRepository)) throw new Error('not at GitHub');
    return repository.repository.runs.find(({ id }) => String(id) === runId)?.conclusion ?? null;
  };

  /** An apply of one pull request and plans of two others wait; the code host has given their ids. */
  async function waitingApply() {
    const repository = await aRepository();
    const one = await repository.open('topic', { 'a/main.tf': '#' });
    await planResults(repository, 0);
    await repository.comment(one, 'infrastate apply');
    const apply = (await service.dispatch(repository, 1)).runId;
    await repository.open('first', { 'b/main.tf': '#' });
    const first = (await service.dispatch(repository, 2)).runId;
    const second = await repository.open('second', { 'c/main.tf': '#' });
    const last = (await service.dispatch(repository, 3)).runId;
    await service.eventually('the ids', async () => (await idsOf(repository)).every((id) => id !== null));
    return { repository, second, apply, first, last };
  }

  /** As if the code host had not said which CI runs it started; `guesses` as they came to be. */
  async function forget(repository: HostedRepository, guesses: Record<string, string> = {}): Promise<void> {
    const guess = Object.entries(guesses).map(([id, other]) => `WHEN '${id}' THEN '${other}'`);
    await rowsOf(
      repository,
      `UPDATE work_manifests SET run_id_told = false, run_id = CASE run_id ${guess.join(' ')} WHEN '' THEN '' END
        WHERE repository_id = $1 AND state = 'queued'`,
    );
  }

  it('leaves a waiting apply its CI run, whatever two other runners name', async () => {
    const { repository, second, apply, first, last } = await waitingApply();
    await begun(repository, 2, { run_id: last });
    await begun(repository, 3, { run_id: apply });
    expect((await idsOf(repository)).slice(1)).toEqual([apply, first, last]);
    const runner = await begun(repository, 1);
    await repository.close(second);
    await reported(repository);
    expect([endOfCiRun(repository, last), endOfCiRun(repository, apply)]).toEqual(['cancelled', null]);
    await runner.send('POST', 'heartbeat');
  });

  it.each(['waits', 'has begun'])(
    'cancels no CI run of an apply that %s for what another runner named, where no ids are given',
    async (how) => {
      const { repository, second, apply } = await waitingApply();
      await forget(repository);
      await begun(repository, 3, { run_id: apply });
      if (how === 'has begun') await begun(repository, 1, { run_id: apply });
      await repository.close(second);
      await reported(repository);
      expect(endOfCiRun(repository, apply)).toBeNull();
    },
  );

  it('cancels the CI run that a runner named where no ids are given, if this service started it', async () => {
    for (const actor of ['', 'ada']) {
      const { repository, second, first, last } = await waitingApply();
      // The guesses of two runs that were dispatched at once were each other's.
      await forget(repository, { [first]: last, [last]: first });
      await (await begun(repository, 1)).results({ has_changes: true });
      await begun(repository, 3, { run_id: last });
      expect((await idsOf(repository)).slice(2)).toEqual([last, last]);
      await begun(repository, 2, { run_id: first });
      expect((await idsOf(repository)).slice(2)).toEqual([first, last]);
      if (!(repository instanceof HostedGithubRepository)) throw new Error('not at GitHub');
      const ciRun = repository.repository.runs.find(({ id }) => String(id) === last);
      if (actor) Object.assign(ciRun ?? {}, { actor });
      await repository.close(second);
      await reported(repository);
      expect([endOfCiRun(repository, first), endOfCiRun(repository, last)]).toEqual([
        null,
        actor ? null : 'cancelled',
      ]);
    }
  });

  it.each(['github', 'gitlab'] as const)(
    'goes on while other jobs of its CI run are cancelled (%s)',
    async (provider) => {
      const repository = await service.repository({ 'a/main.tf': '' }, { provider });
      repository.setRole('author', 'write');
      await repository.open('topic', { 'a/main.tf': '#' });
      const { runId } = await service.dispatch(repository, 0);
      await service.eventually('the id', async () => (await idsOf(repository))[0] === runId);
      const runner = await begun(repository, 0);
      await repository.jobCancelled(runId);
      await runner.send('POST', 'heartbeat');
      await repository.cancelJob(runId, { isTold: true });
      const ends = await rowsOf(repository, 'SELECT error_id FROM work_manifests WHERE repository_id = $1');
      expect(ends).toEqual([{ error_id: 'CANCELLED' }]);
    },
    60_000,
  );

  it('stores what the database cannot keep with other characters, and nothing after the results', async () => {
    const repository = await aRepository();
    await repository.open('topic', { 'a/main.tf': '#' });
    const runner = await begun(repository, 0);
    const scope = { type: 'dirspace', dir: 'a\0', workspace: '\0' };
    const step = { seq: 1, scope, step: 'run', state: 'success', payload: { 'a\0': 'x\0' } };
    await runner.send('POST', 'steps', { steps: [step] });
    const chunk = { seq: 1, dir: 'a\0', workspace: '\0', text: 'x\0' };
    await runner.send('POST', 'logs', { chunks: [chunk] });
    await expect(runner.results({ summary: { add: 10 ** 300, change: 0, destroy: 0 } })).rejects.toThrow(
      '400',
    );
    const dirspace = { workspace: 'default', success: true, has_changes: true };
    await runner.send('POST', 'results', {
      success: true,
      dirspaces: [
        { ...dirspace, dir: 'a' },
        { ...dirspace, dir: 'b\0' },
      ],
      gates: [{ token: 'ok\0', name: 'name\0', any_of: ['author\0'] }],
    });
    const late = { ...step, seq: 2 };
    await expect(runner.send('POST', 'steps', { steps: [late] })).rejects.toThrow('RUN_ENDED');
    await expect(runner.send('POST', 'logs', { chunks: [{ ...chunk, seq: 2 }] })).rejects.toThrow(
      'RUN_ENDED',
    );
    const stored = (table: string) =>
      rowsOf(
        repository,
        `SELECT 1 FROM ${table} o JOIN work_manifests m ON m.id = o.work_manifest_id WHERE m.repository_id = $1`,
      );
    for (const table of ['work_manifest_outputs', 'work_manifest_payloads', 'run_log_chunks'])
      expect(await stored(table)).toHaveLength(1);
    const gates = await rowsOf(repository, 'SELECT token, any_of FROM gates WHERE repository_id = $1');
    expect(gates).toEqual([{ token: 'ok\ufffd', any_of: ['author\ufffd'] }]);
    await reported(repository);
  });

  it('replaces plans that wait by a newer one of the same directories', async () => {
    const repository = await aRepository();
    const number = await repository.open('topic', { 'a/main.tf': '#', 'b/main.tf': '#' });
    await service.dispatch(repository, 0);
    const waiting = () =>
      rowsOf<{ tag_query: string }>(
        repository,
        `SELECT tag_query FROM work_manifests WHERE repository_id = $1 AND state = 'queued' ORDER BY created_at`,
      );
    for (const text of ['dir:a', 'dir:a', 'dir:b', 'dir:a'])
      await repository.comment(number, `infrastate plan ${text}`);
    expect((await waiting()).map(({ tag_query: query }) => query)).toEqual(['', 'dir:b', 'dir:a']);
    await repository.comment(number, 'infrastate plan dir:a or dir:b');
    expect((await waiting()).map(({ tag_query: query }) => query)).toEqual(['dir:a or dir:b']);
  });

  it('goes on after most of a day without what the code host refuses', async () => {
    const repository = await aRepository('dirs: {b: {depends_on: [a]}}\n');
    await repository.open('topic', { 'a/main.tf': '#', 'b/main.tf': '#' });
    const runner = await begun(repository, 0);
    const refused = new RegExp(`POST .*/${repository.name}/issues/\\d+/comments$`);
    service.hosting.github.fail({ matches: refused, status: 403, json: { message: 'locked' }, times: 1000 });
    await runner.results({ has_changes: false });
    await service.eventually('an attempt', () => service.hosting.github.requests(refused).length > 0);
    expect(repository.dispatches()).toHaveLength(1);
    await rowsOf(
      repository,
      `UPDATE work_manifests SET report_attempts = 24, completed_at = now() - interval '1 day' WHERE repository_id = $1`,
    );
    await service.dispatch(repository, 1);
    await reported(repository);
    expect(service.output()).toContain('part of a report failed too often and is skipped');
    service.hosting.github.healed();
  });
});
