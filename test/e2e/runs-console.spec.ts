import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import {
  seriousFindings,
  sidewaysPixels,
  signInBy,
  startBrowser,
  visit,
  type Visit,
} from '../support/browser.js';
import { type Admin, aMember, anAdmin, type Person, startGenerous } from '../support/identity.js';
import {
  aRepository,
  aRun,
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
  let service: RunningService;
  let browser: Browser;
  let admin: Admin;
  let member: Person;
  let repository: TestRepository;
  let base: string;

  beforeAll(async () => {
    service = await startGenerous({
      env: { SERVICE_ORCHESTRATION_ENABLED: 'true', SERVICE_ENCRYPTION_KEYS: TEST_ENCRYPTION_KEYS },
    });
    browser = await startBrowser();
    admin = await anAdmin(service);
    member = await aMember(service, admin);
    repository = await aRepository(service.pool, admin.tenantId);
    base = `/installations/github/${repository.installationId}`;
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  const open = async (
    person: { email: string; password: string },
    path: string,
    options: Parameters<typeof visit>[2] = {},
  ): Promise<Visit> => {
    const visited = await visit(browser, service.url, options);
    await visited.page.goto(path);
    await signInBy(visited.page, person);
    return visited;
  };

  const print = async (run: string, seq: number, text: string): Promise<void> => {
    await service.pool.query('INSERT INTO run_log_chunks (work_manifest_id, seq, text) VALUES ($1, $2, $3)', [
      run,
      seq,
      text,
    ]);
  };

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
    expect(await page.getByRole('textbox', { name: 'Search' }).inputValue()).toBe('kind:drift');

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
    await print(run, 1, 'a later line\n');
    await log.getByText('a later line').waitFor();

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

  it('makes and deletes runner pools; the token is shown once', async () => {
    const { page, complaints } = await open(admin, `/tenants/${admin.tenantId}/runner-pools`);
    await page.getByRole('button', { name: 'New pool' }).click();
    await page.getByLabel('Name').fill('builders');
    await page.getByRole('button', { name: 'Create pool' }).click();
    const token = await page.getByLabel('Token').inputValue();
    expect(token.length).toBeGreaterThan(20);
    await page.getByRole('button', { name: 'Done' }).click();
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
    await page.getByRole('heading', { name: /not found|no such/i }).waitFor();
    expect(await page.getByRole('heading', { name: /not found|no such/i }).count()).toBe(1);
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
    const { page, complaints } = await open(admin, `${base}/runs`, { colorScheme, width });
    for (const [name, path, table] of [
      ['runs', `${base}/runs`, 'Runs'],
      ['run', `${base}/runs/${run}`, 'Steps'],
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
