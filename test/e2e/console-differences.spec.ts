import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import {
  aBackend,
  aWrittenState,
  BackendClient,
  Run,
  type TestBackend,
  type TestState,
} from '../support/backend.js';
import {
  seriousFindings,
  signInBy,
  startBrowser,
  untilHolds,
  visit,
  type Visit,
} from '../support/browser.js';
import { anInstallation } from '../support/kv.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(180_000);

const ADMIN = { email: 'admin@example.test', password: 'correct horse battery' };
const HOSTILE = '<img src=x onerror=alert(1)>';

describeWith('chromium', 'What was refused, in the browser', () => {
  let backend: TestBackend;
  let browser: Browser;
  let state: TestState;
  let visited: Visit;
  beforeAll(async () => {
    backend = await aBackend();
    browser = await startBrowser();
    state = await aWrittenState(
      backend,
      await backend.aState({ name: HOSTILE }),
      new Map([
        ['a', '1'],
        ['b', '1'],
        ['output.url', 'one'],
      ]),
    );
    const [mine, theirs] = ['mine', 'theirs'].map((name) => {
      const authorization = `Basic ${Buffer.from(`${name}:${backend.key}`).toString('base64')}`;
      const headers = { authorization };
      return new Run(new BackendClient(state.address, backend.key, { headers }), undefined);
    }) as [Run, Run];
    await mine.read();
    await theirs.read();
    const changes = (value: string) =>
      new Map([
        ['a', value],
        ['output.url', value],
      ]);
    expect((await theirs.client.post(theirs.next(changes('theirs')))).status).toBe(200);
    expect((await mine.client.post(mine.next(changes(HOSTILE)))).status).toBe(409);
    mine.client.close();
    theirs.client.close();
    visited = await visit(browser, backend.url);
    await visited.page.goto('/');
    await signInBy(visited.page, ADMIN);
  });
  afterAll(async () => {
    await browser?.close();
    await backend?.stop();
  });

  const open = async (path: string): Promise<Page> => {
    await visited.page.goto(path);
    return visited.page;
  };

  it('stands on the dashboard, and leads to what it changed and to who was in its way', async () => {
    const page = await open(`/tenants/${backend.tenantId}`);
    const card = page.getByRole('region', { name: 'Refused submissions' });
    await card.getByRole('link', { name: HOSTILE, exact: true }).waitFor();
    await card.getByRole('link', { name: /^Compare/ }).click();
    const conflicts = page.getByRole('region', { name: 'Conflicts' });
    await conflicts.waitFor();
    await untilHolds(async () =>
      expect(await conflicts.getByRole('listitem').allInnerTexts()).toEqual(['test_thing.a', 'output.url']),
    );
    const changed = page.getByRole('table', { name: 'Changed instances' });
    await changed.getByText('test_thing.a').waitFor();
    await changed.getByText(HOSTILE).waitFor();
    await untilHolds(async () => expect(await page.title()).toContain('Compare'));
    expect(await seriousFindings(page)).toEqual([]);
    await conflicts.getByRole('link').click();
    await page.getByRole('heading', { level: 1, name: /^Transaction / }).waitFor();
    expect(visited.complaints).toEqual([]);
  });

  it('is compared from the list of submissions', async () => {
    const page = await open(`/states/${state.id}/submissions?status=refused`);
    const list = page.getByRole('table', { name: 'Submissions' });
    await list.getByRole('link', { name: 'Compare' }).click();
    await page.waitForURL(/\/submissions\/[^/]+\/diff$/);
    await page.getByRole('region', { name: 'Conflicts' }).waitFor();
    const tabs = page.getByRole('navigation', { name: 'State', exact: true });
    await tabs.locator('[aria-current="page"]').filter({ hasText: 'Submissions' }).waitFor();
    const gone = await open(`/states/${state.id}/submissions/00000000-0000-4000-8000-000000000000/diff`);
    await gone.getByRole('alert').filter({ hasText: 'Not found' }).waitFor();
  });

  it('downloads a version byte for byte', async () => {
    const page = await open(`/states/${state.id}/versions`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('button', { name: 'Download version 1' }).click(),
    ]);
    const text = readFileSync(await download.path(), 'utf8');
    const stored = await backend.api('GET', `/states/${state.id}/versions/1`);
    expect(text).toBe(stored.bytes.toString());
  });

  it('filters transactions by state and author, with both in the address', async () => {
    await backend.aState({ name: 'elsewhere' });
    const page = await open(`/tenants/${backend.tenantId}/transactions`);
    const rows = page.getByRole('table', { name: 'Transactions' }).locator('tbody tr');
    await rows.first().waitFor();
    await page.getByRole('combobox', { name: 'Where' }).fill('elsewhere');
    await page.getByRole('option', { name: 'elsewhere' }).click();
    await page.getByText('No transaction matches these filters.').waitFor();
    await page.waitForURL(/state_id=/);
    await open(`/tenants/${backend.tenantId}/transactions?state_id=${state.id}`);
    await page.getByRole('combobox', { name: 'Author' }).click();
    await page.getByRole('option', { name: 'Admin' }).click();
    await page.waitForURL(new RegExp(`created_by=${backend.userId}`));
    await rows.first().waitFor();
    // Names of states and people come with answers of their own.
    await untilHolds(async () =>
      expect(await page.getByRole('combobox', { name: 'Where' }).inputValue()).toContain(HOSTILE),
    );
    await page.reload();
    await rows.first().waitFor();
    await untilHolds(async () =>
      expect(await page.getByRole('combobox', { name: 'Author' }).inputValue()).toBe('Admin'),
    );
    expect(await seriousFindings(page)).toEqual([]);
    expect(visited.complaints).toEqual([]);
  });

  it('finds the key-value store among the pages of an installation', async () => {
    const installation = await anInstallation(backend.service, {
      provider: 'gitlab',
      tenantId: backend.tenantId,
    });
    const page = await open(`/installations/gitlab/${installation}/repositories`);
    const tabs = page.getByRole('navigation', { name: 'Installation' });
    await tabs.getByRole('link', { name: 'Key-value store' }).click();
    await page.getByRole('heading', { level: 1, name: 'Key-value store' }).waitFor();
    await tabs.locator('[aria-current="page"]').filter({ hasText: 'Key-value store' }).waitFor();
    await tabs.getByRole('link', { name: 'Pull requests' }).waitFor();
  });

  it('keeps color and folding of a graph in the address', async () => {
    const page = await open(`/states/${state.id}/graph?color=module&fold=true`);
    await page.getByRole('list', { name: 'Colors by module' }).waitFor();
    await page.getByRole('switch', { name: 'Fold modules', checked: true }).waitFor();
    await page.getByLabel('Color by').selectOption('distance');
    await page.waitForURL(/color=distance/);
    await page.reload();
    await page.getByRole('list', { name: 'Colors by distance' }).waitFor();
    expect(visited.complaints).toEqual([]);
  });

  it('loads a page anew whose part is gone, once, and then says so', async () => {
    const page = await open(`/states/${state.id}`);
    await page.getByRole('navigation', { name: 'State', exact: true }).waitFor();
    let loads = 0;
    page.on('load', () => (loads += 1));
    await page.route(/\/assets\/modules-page-[^/]*\.js/, (route) =>
      route.fulfill({ status: 404, contentType: 'application/json', body: '{}' }),
    );
    await page.evaluate('window.isOldDocument = true');
    await page.getByRole('link', { name: 'Modules', exact: true }).click();
    await page.getByRole('alert').filter({ hasText: 'loaded anew, which did not help' }).waitFor();
    expect(await page.evaluate('window.isOldDocument')).toBeUndefined();
    await untilHolds(async () => expect(loads).toBe(1));
    await page.unroute(/\/assets\/modules-page-[^/]*\.js/);
    await page.getByRole('button', { name: 'Load the page anew' }).click();
    await page.getByText('Counts are of a module itself').waitFor();
  });
});
