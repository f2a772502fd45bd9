import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import {
  seriousFindings,
  sidewaysPixels,
  signInBy,
  startBrowser,
  untilHolds,
  visit,
  type Visit,
} from '../support/browser.js';
import { GithubStandIn } from '../support/code-hosts/github-stand-in.js';
import { type Admin, aMember, anAdmin, type Person, startGenerous } from '../support/identity.js';
import {
  aHold,
  aRepository,
  aRun,
  aSchedule,
  aStep,
  TEST_ENCRYPTION_KEYS,
  type TestRepository,
} from '../support/run-records.js';
import type { RunningService } from '../support/service.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(180_000);

const HOSTILE = '<img src=x onerror="document.title=1">';
const SCREENSHOTS = process.env['CONSOLE_SCREENSHOTS'];

describeWith('chromium', 'Runs in the browser', () => {
  let github: GithubStandIn;
  let service: RunningService;
  let browser: Browser;
  let admin: Admin;
  let member: Person;
  let repository: TestRepository;
  let base: string;

  beforeAll(async () => {
    github = await new GithubStandIn().start();
    service = await startGenerous({
      env: {
        SERVICE_ORCHESTRATION_ENABLED: 'true',
        SERVICE_ENCRYPTION_KEYS: TEST_ENCRYPTION_KEYS,
        ...github.environment,
      },
    });
    browser = await startBrowser();
    admin = await anAdmin(service);
    member = await aMember(service, admin);
    repository = await aRepository(service.pool, admin.tenantId);
    base = `/installations/github/${repository.installationId}`;
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
    await github?.stop();
  });

  /** One tab for each person and screen; it shows the page, and has no complaints yet. */
  const tabs = new Map<string, Visit>();
  const open = async (
    person: { email: string; password: string },
    path: string,
    options: Parameters<typeof visit>[2] = {},
  ): Promise<Visit> => {
    const key = `${person.email} ${JSON.stringify(options)}`;
    const known = tabs.get(key);
    if (known) {
      await known.page.goto(path);
      known.complaints.length = 0;
      return known;
    }
    const visited = await visit(browser, service.url, options);
    await visited.page.goto(path);
    await signInBy(visited.page, person);
    tabs.set(key, visited);
    return visited;
  };

  const print = async (run: string, seq: number, text: string, dir?: string): Promise<void> => {
    await service.pool.query(
      'INSERT INTO run_log_chunks (work_manifest_id, seq, text, dir, workspace) VALUES ($1, $2, $3, $4, $5)',
      [run, seq, text, dir ?? null, dir === undefined ? null : 'default'],
    );
  };

  /** Long names, and every part of the pages filled. */
  async function aPullRequestWithEverything(): Promise<TestRepository & { waiting: string }> {
    const { pool } = service;
    const at = await aRepository(pool, admin.tenantId);
    const long = `modules/${'long-directory-'.repeat(8)}`;
    const summary = { add: 12, change: 3, destroy: 1 };
    const success = { state: 'success', success: true, hasChanges: true, summary };
    await aRun(pool, at, {
      createdAt: '2026-01-01T10:00:00Z',
      dirs: [
        { dir: long, ...success },
        { dir: 'b', workspace: 'prod', state: 'failure', success: false },
      ],
    });
    await aRun(pool, at, { runType: 'apply', dirs: [{ dir: long, state: 'failure', success: false }] });
    const waiting = await aRun(pool, at, { state: 'queued', isWaiting: true, place: 'pool', pool: 'none' });
    await aHold(pool, at, { dir: long });
    await aSchedule(pool, at, 'nightly', { tagQuery: 'live and not slow', isReconciling: true });
    await aRun(pool, at, {
      kind: 'drift',
      dirs: [{ dir: long, ...success, endedAt: '2026-01-01T10:00:00Z' }],
    });
    await pool.query(
      `INSERT INTO gates (id, repository_id, pull_number, sha, token, name, all_of, any_of, any_of_count)
       VALUES (gen_random_uuid(), $1, 7, 'aaaa', 'over-budget', 'Budget of the whole team', '{}', '{team:ops,user:ada}', 2)`,
      [at.repository],
    );
    return { ...at, waiting };
  }

  it('finds runs by a tag query and by the quick filters, which stay in the address', async () => {
    const { pool } = service;
    const plan = await aRun(pool, repository, {
      dirs: [{ dir: 'network', state: 'success', success: true }],
      createdAt: '2026-01-01T10:00:00Z',
    });
    const apply = await aRun(pool, repository, {
      runType: 'apply',
      dirs: [{ dir: HOSTILE, state: 'failure', success: false }],
    });
    const drift = await aRun(pool, repository, { kind: 'drift', state: 'queued' });
    const { page, complaints } = await open(member, `${base}/runs`);
    await page.getByRole('heading', { level: 1, name: 'Runs' }).waitFor();
    const runs = page.getByRole('table', { name: 'Runs' });
    const link = (id: string) => runs.getByRole('link', { name: id.slice(0, 8) });
    for (const id of [plan, apply, drift]) await link(id).waitFor();
    await runs
      .getByRole('row')
      .filter({ hasText: apply.slice(0, 8) })
      .getByText('failure')
      .waitFor();
    await runs
      .getByRole('row')
      .filter({ hasText: drift.slice(0, 8) })
      .getByText('Drift detection')
      .waitFor();

    await page.getByRole('textbox', { name: 'Search' }).fill('dir:network');
    await page.waitForURL(/\?q=dir%3Anetwork$/);
    await link(apply).waitFor({ state: 'detached' });
    await link(plan).waitFor();
    await page
      .getByRole('navigation', { name: 'Quick filters' })
      .getByRole('link', { name: 'Drift' })
      .click();
    await page.waitForURL(/\?q=kind%3Adrift$/);
    await link(plan).waitFor({ state: 'detached' });
    await page.reload();
    await link(drift).waitFor();
    await untilHolds(async () =>
      expect(await page.getByRole('textbox', { name: 'Search' }).inputValue()).toBe('kind:drift'),
    );

    const hooked = await aRun(pool, repository, {
      hooksFailed: true,
      dirs: [{ dir: 'network', state: 'success', success: true }],
    });
    const filters = page.getByRole('navigation', { name: 'Quick filters' });
    await filters.getByRole('link', { name: 'Failed' }).click();
    for (const id of [apply, hooked]) await link(id).waitFor();
    await runs
      .getByRole('row')
      .filter({ hasText: hooked.slice(0, 8) })
      .getByText('failure')
      .waitFor();
    for (const id of [plan, drift]) await link(id).waitFor({ state: 'detached' });
    await filters.getByRole('link', { name: 'Under way' }).click();
    await link(drift).waitFor();
    for (const id of [plan, apply, hooked]) await link(id).waitFor({ state: 'detached' });

    await page.getByRole('textbox', { name: 'Search' }).fill('colour:red');
    await page.getByRole('alert').waitFor();
    await page.getByRole('textbox', { name: 'Search' }).fill('pr:99');
    await page.getByText('No run matches.').waitFor();
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
  });

  it('follows a run: directories, steps with their output, and what it prints', async () => {
    const { pool } = service;
    const run = await aRun(pool, repository, { state: 'running', dirs: [{ dir: 'network' }] });
    await aStep(pool, run, 1, { step: 'tf/init', dir: 'network', payload: { text: 'Initialized' } });
    await aStep(pool, run, 2, { step: 'tf/plan', dir: 'network', payload: { text: 'x', plan: HOSTILE } });
    await print(run, 0, `\u001b[32mgreen\u001b[0m ${HOSTILE}\n`);
    const { page, complaints } = await open(member, `${base}/runs/${run}`);
    await page.getByRole('heading', { level: 1, name: `Run ${run.slice(0, 8)}` }).waitFor();
    await page.getByRole('table', { name: 'Directories' }).getByText('network').waitFor();
    const log = page.getByRole('log', { name: 'Log' });
    await log.getByText(HOSTILE).waitFor();
    await print(run, 1, 'a later line\n', 'network');
    await log.getByText('a later line').waitFor();
    await log.getByText('==> network <==').waitFor();

    await page.getByRole('button', { name: 'Show the output of tf/plan in network' }).click();
    const output = page.getByRole('dialog', { name: 'tf/plan in network' });
    await output.getByText(HOSTILE).waitFor();
    await output.getByRole('button', { name: 'Close' }).press('Enter');
    await output.waitFor({ state: 'detached' });

    await pool.query(
      "UPDATE work_manifests SET state = 'aborted', error_id = 'RUN_LOST', error_data = 'no sign of the runner', completed_at = now() WHERE id = $1",
      [run],
    );
    await page.getByRole('alert').getByText('no sign of the runner').waitFor();
    expect(complaints).toEqual([]);
  });

  it('says what a queued run waits for, and cancels it after a question', async () => {
    const { pool } = service;
    const at = await aRepository(pool, admin.tenantId);
    const runs = `/installations/github/${at.installationId}/runs`;
    const earlier = await aRun(pool, at, { runType: 'apply', state: 'queued', isWaiting: true });
    const run = await aRun(pool, at, { state: 'queued', isWaiting: true });
    const { page, complaints } = await open(admin, `${runs}/${run}`);
    const waits = page.getByRole('list', { name: 'What the run waits for' });
    await waits.getByText('an apply that was asked for earlier waits for a').waitFor();
    await waits.getByRole('link', { name: `run ${earlier.slice(0, 8)}` }).waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).click();
    const dialog = page.getByRole('dialog', { name: 'Cancel run' });
    await dialog.getByText('has not begun and will not begin').waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
    await page.getByRole('button', { name: 'Cancel run' }).click();
    await dialog.getByRole('button', { name: 'Cancel run' }).click();
    await page.getByRole('alert').getByText('Ada cancelled it').waitFor();
    await page.getByRole('button', { name: 'Cancel run' }).waitFor({ state: 'detached' });
    expect(complaints).toEqual([]);
  });

  it('shows a pull request: plans beside applies, holds, gates, comments to write, and its runs by state', async () => {
    const { pool } = service;
    const at = await aRepository(pool, admin.tenantId);
    const base = `/installations/github/${at.installationId}`;
    await pool.query('UPDATE pull_requests SET title = $2 WHERE repository_id = $1', [
      at.repository,
      HOSTILE,
    ]);
    const plan = await aRun(pool, at, {
      createdAt: '2026-01-01T10:00:00Z',
      dirs: [
        {
          dir: 'network',
          state: 'success',
          success: true,
          hasChanges: true,
          summary: { add: 1, change: 2, destroy: 0 },
        },
      ],
    });
    await aHold(pool, at, { dir: 'network' });
    await pool.query(
      `INSERT INTO gates (id, repository_id, pull_number, sha, token, name, all_of, any_of, any_of_count)
       VALUES (gen_random_uuid(), $1, 7, 'aaaa', 'over-budget', 'Budget', '{}', '{team:ops}', 1)`,
      [at.repository],
    );
    const { page, complaints } = await open(member, `${base}/pull-requests`);
    await page.getByLabel('Number').fill('8');
    await page.getByText('No pull request has this number.').waitFor();
    await page.waitForURL(/\?pr=8$/);
    await page.getByLabel('Number').fill('#7');
    await page.getByRole('link', { name: `Pull request #7 of ${at.name}` }).click();
    await page.getByRole('heading', { level: 1, name: 'Pull request #7' }).waitFor();
    await page.getByText(HOSTILE).waitFor();
    await untilHolds(async () =>
      expect(await page.title()).toBe(`Pull request #7 · octo/${at.name} · Infrastructure State Service`),
    );
    const network = page
      .getByRole('table', { name: 'Directories' })
      .getByRole('row')
      .filter({ hasText: 'network' });
    await network.getByText('+1 ~2 -0').waitFor();
    await network.getByRole('link', { name: `Plan of network: run ${plan.slice(0, 8)}` }).waitFor();
    const holds = page.getByRole('table', { name: 'Holds' });
    await holds.getByText('#7 (this) by ada').waitFor();
    await holds.getByText('infrastate unlock 7').waitFor();
    await page.getByRole('table', { name: 'Gates' }).getByText('1 of team:ops').waitFor();
    await page.getByRole('button', { name: 'Copy infrastate apply' }).waitFor();

    // It follows what happens without a reload.
    const apply = await aRun(pool, at, {
      runType: 'apply',
      state: 'running',
      dirs: [{ dir: 'network', state: 'running' }],
    });
    await holds.getByRole('link', { name: 'An apply is under way' }).waitFor();
    await network.getByRole('link', { name: `Apply of network: run ${apply.slice(0, 8)}` }).waitFor();
    await page.getByRole('button', { name: 'Copy infrastate apply' }).waitFor({ state: 'detached' });
    const runs = page.getByRole('table', { name: 'Runs' });
    const link = (id: string) => runs.getByRole('link', { name: id.slice(0, 8) });
    await link(apply).waitFor();
    await page
      .getByRole('navigation', { name: 'Runs by state' })
      .getByRole('link', { name: 'Plans' })
      .click();
    await page.waitForURL(/\?show=plans$/);
    await link(apply).waitFor({ state: 'detached' });
    await page.reload();
    await link(plan).click();
    await page.getByRole('heading', { level: 1, name: `Run ${plan.slice(0, 8)}` }).waitFor();
    await page.getByRole('link', { name: `#7` }).click();
    await page.getByRole('heading', { level: 1, name: 'Pull request #7' }).waitFor();
    await page.goto(`${base}/pull-requests/${at.repoId}/99`);
    await page.getByRole('heading', { name: /not found/i }).waitFor();
    expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([]);
  });

  it('offers no apply of a plan whose hook failed, nor of one for another base branch', async () => {
    const { pool } = service;
    const at = await aRepository(pool, admin.tenantId);
    const success = { state: 'success', success: true, hasChanges: true };
    const path = `/installations/github/${at.installationId}/pull-requests/${at.repoId}/7`;
    await aRun(pool, at, {
      createdAt: '2026-01-01T10:00:00Z',
      hooksFailed: true,
      dirs: [{ dir: 'network', ...success }],
    });
    const { page, complaints } = await open(member, path);
    const network = page
      .getByRole('table', { name: 'Directories' })
      .getByRole('row')
      .filter({ hasText: 'network' });
    const [plan, apply] = ['plan', 'apply'].map((verb) =>
      page.getByRole('button', { name: `Copy infrastate ${verb}` }),
    );
    await network.getByText('failure').waitFor();
    await network.getByText('A hook of the plan failed').waitFor();
    await plan?.waitFor();
    expect(await apply?.count()).toBe(0);
    if (SCREENSHOTS)
      await page.screenshot({ path: join(SCREENSHOTS, 'pull-request-hook-failed.png'), fullPage: true });
    await aRun(pool, at, { dirs: [{ dir: 'network', ...success }] });
    await page.reload();
    await apply?.waitFor();
    await pool.query(`UPDATE pull_requests SET base_branch = 'release' WHERE repository_id = $1`, [
      at.repository,
    ]);
    await page.reload();
    await page.getByText('Nothing is planned for the newest commit').waitFor();
    expect(await apply?.count()).toBe(0);
    expect(complaints).toEqual([]);
  });

  it('says that nothing runs for a fork, and what a pull request without runs waits for', async () => {
    const at = await aRepository(service.pool, admin.tenantId);
    await service.pool.query('UPDATE pull_requests SET is_fork = true WHERE repository_id = $1', [
      at.repository,
    ]);
    const { page } = await open(
      member,
      `/installations/github/${at.installationId}/pull-requests/${at.repoId}/7`,
    );
    await page.getByText('Nothing is planned or applied for pull requests from forks').waitFor();
    await page.getByText('Nothing is planned for the newest commit').waitFor();
    await page.getByText('No runs of this pull request yet.').waitFor();
    expect(await page.getByRole('button', { name: /^Copy infrastate/ }).count()).toBe(0);
  });

  it('shows drift by directory, filters it in the address, and starts a schedule', async () => {
    const { pool } = service;
    const installation = github.install('octo');
    const files = {
      'a/main.tf': '',
      '.infrastate/config.yml': 'drift: {enabled: true, schedules: {nightly: {schedule: daily}}}\n',
    };
    const { id: repoId } = github.addRepository('octo', 'infra', files);
    const at = await aRepository(pool, admin.tenantId, {
      installationId: String(installation.id),
      repoId: String(repoId),
      name: 'infra',
    });
    const { page, complaints } = await open(admin, `/installations/github/${at.installationId}/drift`);
    await page.getByRole('heading', { level: 1, name: 'Drift' }).waitFor();
    await page.getByText('No directory has been checked for drift yet.').waitFor();
    await page.getByText('No schedules.').waitFor();
    const look = (dir: string, hasChanges: boolean) =>
      aRun(pool, at, {
        kind: 'drift',
        dirs: [
          {
            dir,
            state: 'success',
            success: true,
            hasChanges,
            summary: { add: 0, change: hasChanges ? 3 : 0, destroy: 0 },
            endedAt: '2026-01-01T10:00:00Z',
          },
        ],
      });
    await look('network', true);
    await look('clean', false);
    await aSchedule(pool, at, 'nightly', { windowStart: '01:00', windowEnd: '05:00' });
    await page.reload();
    const drift = page.getByRole('table', { name: 'Drift' });
    await drift.getByRole('row').filter({ hasText: 'network' }).getByText('+0 ~3 -0').waitFor();
    const aborted = await aRun(pool, at, {
      kind: 'drift',
      runType: 'apply',
      state: 'aborted',
      dirs: [{ dir: 'network', state: 'aborted' }],
    });
    await pool.query(
      `INSERT INTO dirspace_holds (repository_id, dir, workspace, work_manifest_id, created_at)
       VALUES ($1, 'network', 'default', $2, now())`,
      [at.repository, aborted],
    );
    await page.reload();
    const held = drift.getByRole('row').filter({ hasText: 'held by the aborted' });
    await held.getByRole('link', { name: `drift run ${aborted.slice(0, 8)}` }).waitFor();
    await held.getByRole('button', { name: 'Release network of infra' }).click();
    const releasing = page.getByRole('dialog', { name: 'Release directories' });
    await releasing.getByText('its runner may still apply').waitFor();
    await releasing.getByRole('button', { name: 'Release directories' }).click();
    await held.waitFor({ state: 'detached' });
    await page.getByLabel('State').selectOption('clean');
    await page.waitForURL(/\?state=clean$/);
    await drift.getByText('network').waitFor({ state: 'detached' });
    await page.getByLabel('Repository').fill('none');
    await page.getByText('No directory matches.').waitFor();
    await page.reload();
    await untilHolds(async () => expect(await page.getByLabel('State').inputValue()).toBe('clean'));

    const schedules = page.getByRole('table', { name: 'Schedules' });
    await schedules.getByText('daily, 01:00 to 05:00 UTC').waitFor();
    const startNow = schedules.getByRole('button', { name: 'Start now: nightly of infra' });
    const dialog = page.getByRole('dialog', { name: 'Start drift run' });
    github.fail({ matches: /branches|git\/trees/, status: 500, times: 20 });
    await startNow.click();
    await dialog.getByText('Nothing is changed.').waitFor();
    await dialog.getByRole('button', { name: 'Start drift run' }).click();
    await dialog.getByRole('alert').waitFor();
    github.healed();
    await dialog.getByRole('button', { name: 'Start drift run' }).click();
    await dialog.getByRole('link', { name: /^Run / }).click();
    await page.getByRole('heading', { level: 1, name: /^Run / }).waitFor();
    await page.getByText('Drift detection').waitFor();
    expect(complaints.filter((complaint) => !/50[0-9]/.test(complaint))).toEqual([]);
  });

  it('makes and deletes runner pools; the token is shown once', async () => {
    const { page, complaints } = await open(admin, `/tenants/${admin.tenantId}/runner-pools`);
    await page.getByRole('button', { name: 'New pool' }).click();
    await page.getByLabel('Name').fill('builders');
    await page.getByRole('button', { name: 'Create pool' }).click();
    const token = await page.getByLabel('Token').inputValue();
    expect(token.length).toBeGreaterThan(20);
    expect(await page.getByLabel('Command that starts a runner').inputValue()).toBe(
      `INFRASTATE_API_BASE=${new URL(page.url()).origin} INFRASTATE_POOL_TOKEN=${token} infrastate runner`,
    );
    expect(await page.getByRole('button', { name: 'Cancel' }).count()).toBe(0);
    await page.getByRole('button', { name: 'Done' }).click();
    // Its end is animated.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    const pools = page.getByRole('table', { name: 'Runner pools' });
    await pools.getByText('never').waitFor();
    expect(await page.content()).not.toContain(token);
    await pools.getByRole('button', { name: 'Delete builders' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete pool' }).click();
    await page.getByText('No pools.').waitFor();
    expect(complaints).toEqual([]);
  });

  it('tells that runs of another tenant are not found', async () => {
    const foreign = await aRepository(service.pool, null);
    const { page } = await open(member, `/installations/github/${foreign.installationId}/runs`);
    await page.getByRole('alert').waitFor();
    await page.goto(`${base}/runs/${await aRun(service.pool, foreign)}`);
    await untilHolds(async () =>
      expect(await page.getByRole('heading', { name: /not found|no such/i }).count()).toBe(1),
    );
  });

  it.each([
    ['light', 1280],
    ['dark', 360],
  ] as const)('can be used by everybody, %s and %i pixels wide', async (colorScheme, width) => {
    const { pool } = service;
    const run = await aRun(pool, repository, {
      dirs: [{ dir: 'd'.repeat(200), state: 'success', success: true }],
    });
    await aStep(pool, run, 1, { step: 'tf/plan', dir: 'd'.repeat(200) });
    await print(run, 0, `${'x'.repeat(500)}\n`);
    await print(run, 1, 'one\n', 'network');
    await print(run, 2, 'two\n', 'compute');
    const at = await aPullRequestWithEverything();
    const { page, complaints } = await open(admin, `${base}/runs`, { colorScheme, width });
    for (const [name, path, table] of [
      ['runs', `${base}/runs`, 'Runs'],
      ['run', `${base}/runs/${run}`, 'Steps'],
      ['pull-requests', `/installations/github/${at.installationId}/pull-requests`, 'Pull requests'],
      ['pull-request', `/installations/github/${at.installationId}/pull-requests/${at.repoId}/7`, 'Runs'],
      ['waiting', `/installations/github/${at.installationId}/runs/${at.waiting}`, 'Directories'],
      ['drift', `/installations/github/${at.installationId}/drift`, 'Schedules'],
      ['pools', `/tenants/${admin.tenantId}/runner-pools`, undefined],
    ] as const) {
      await page.goto(path);
      if (table === undefined) await page.getByText('No pools.').waitFor();
      else await page.getByRole('table', { name: table }).waitFor();
      expect([name, await seriousFindings(page), await sidewaysPixels(page)]).toEqual([name, [], 0]);
      if (SCREENSHOTS)
        await page.screenshot({
          path: join(SCREENSHOTS, `${name}-${colorScheme}-${width}.png`),
          fullPage: true,
        });
    }
    expect(complaints).toEqual([]);
  });
});
