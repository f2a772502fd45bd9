import type { Browser, Page } from 'playwright-core';
import {
  EVERY_SCREEN,
  scrollUntil,
  seriousFindings,
  sidewaysPixels,
  signInBy,
  startBrowser,
  untilHolds,
  visit,
  type Visit,
} from '../support/browser.js';
import { type Admin, aMember, anAdmin, type Person, startGenerous } from '../support/identity.js';
import { anInstallation, type KvCalls, kvOf } from '../support/kv.js';
import type { RunningService } from '../support/service.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(180_000);

const HOSTILE = '<img src=x onerror="document.title=1">\u202e/\u0001?&#%2F';

describeWith('chromium', 'The key-value store in the browser', () => {
  let service: RunningService;
  let browser: Browser;
  let admin: Admin;
  let member: Person;
  let installation: string;
  let kv: KvCalls;

  beforeAll(async () => {
    service = await startGenerous();
    browser = await startBrowser();
    admin = await anAdmin(service);
    member = await aMember(service, admin);
    installation = await anInstallation(service, { provider: 'gitlab', tenantId: admin.tenantId });
    kv = kvOf(service, admin.token, installation, 'gitlab');
  });
  afterAll(async () => {
    await browser.close();
    await service.stop();
  });

  const open = async (
    person: { email: string; password: string },
    query = '',
    options: Parameters<typeof visit>[2] = {},
  ): Promise<Visit> => {
    const visited = await visit(browser, service.url, options);
    await visited.page.goto(`/installations/gitlab/${installation}/kv${query}`);
    await signInBy(visited.page, person);
    return visited;
  };
  const keysOn = (page: Page) => page.getByRole('table', { name: 'Keys' });

  it('lists, filters, opens and deletes records', async () => {
    await kv.put('locks/deploy', { data: 'job-17' });
    await kv.put('results/1', { data: '{"big":9007199254740993,"list":[1]}', idx: 3, committed: false });
    await kv.put(HOSTILE, { data: HOSTILE });
    await kv.put('system/secret', { data: 'for administrators' });
    const { page, complaints } = await open(member);
    await page.getByRole('heading', { level: 1, name: 'Key-value store' }).waitFor();
    const keys = keysOn(page);
    await keys.getByRole('link', { name: 'locks/deploy' }).waitFor();
    await untilHolds(async () =>
      expect(await page.title()).toBe(
        `Key-value store · gitlab/${installation} · Infrastructure State Service`,
      ),
    );
    await keys.getByText(HOSTILE).waitFor();
    expect(await keys.getByText('system/secret').count()).toBe(0);
    await keys.getByRole('row').filter({ hasText: 'results/1' }).getByText('Uncommitted').waitFor();

    await page.getByLabel('Prefix').fill('results/');
    await page.waitForURL(/\?prefix=results%2F$/);
    await keys.getByRole('link', { name: 'locks/deploy' }).waitFor({ state: 'detached' });
    await keys.getByRole('link', { name: 'results/1' }).click();
    const opened = page.getByRole('dialog', { name: 'results/1' });
    await opened.getByText('9007199254740993').waitFor();
    await opened.getByText('Text', { exact: true }).click();
    await opened.getByText('{"big":9007199254740993,"list":[1]}').waitFor();
    await page.reload();
    await opened.getByText('9007199254740993').waitFor();
    await opened.getByRole('button', { name: 'Close' }).click();
    await opened.waitFor({ state: 'detached' });

    await page.getByLabel('Prefix').fill('');
    await keys.getByText(HOSTILE).click();
    await page.getByRole('dialog').getByText(HOSTILE).nth(1).waitFor();
    await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });

    // Written again behind the page's back: what was not seen is not deleted.
    await kv.put('locks/deploy', { data: 'job-18' });
    const remove = async (): Promise<void> => {
      await keys
        .getByRole('row')
        .filter({ hasText: 'locks/deploy' })
        .getByRole('button', { name: 'Delete' })
        .click();
      await page.getByRole('dialog').getByRole('button', { name: 'Delete record' }).click();
    };
    await remove();
    await page.getByRole('alert').getByText('changed or deleted meanwhile').waitFor();
    expect((await kv.get('locks/deploy')).body.data).toBe('job-18');
    await page.getByRole('button', { name: 'Cancel' }).click();
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await keys.getByRole('row').filter({ hasText: 'locks/deploy' }).getByText('1', { exact: true }).waitFor();
    await remove();
    await keys.getByText('locks/deploy').waitFor({ state: 'detached' });
    expect((await kv.get('locks/deploy')).status).toBe(404);
    expect(complaints).toEqual([]);
  });

  it('shows system keys to administrators of the installation', async () => {
    await kv.put('system/secret', { data: 'for administrators' });
    const { page } = await open(admin, '?prefix=system%2F');
    await keysOn(page).getByRole('link', { name: 'system/secret' }).click();
    await page.getByRole('dialog').getByText('for administrators').waitFor();
    expect(await page.getByRole('dialog').innerText()).toContain('for administrators');
  });

  it('reads on while one scrolls, and keeps few rows in the document', async () => {
    await service.pool.query(
      `INSERT INTO kv_records (provider, installation_id, key, idx, data, version, committed)
       SELECT 'gitlab', $1, 'many/' || lpad(n::text, 4, '0'), 0, 'x', 0, true FROM generate_series(0, 499) AS n`,
      [installation],
    );
    const { page } = await open(member, '?prefix=many%2F');
    await scrollUntil(
      page.getByRole('group', { name: 'Keys, scrollable' }),
      keysOn(page).getByText('many/0499'),
    );
    expect(await keysOn(page).getByRole('row').count()).toBeLessThan(100);
  });

  it('tells that an installation is foreign, unknown or empty', async () => {
    const foreign = await anInstallation(service);
    const { page } = await open(member);
    await page.goto(`/installations/github/${foreign}/kv`);
    await page.getByRole('alert').waitFor();
    await page.goto('/installations/svn/1/kv');
    await page.getByText('This code-hosting provider is not known').waitFor();
    const empty = await anInstallation(service, { tenantId: admin.tenantId });
    await page.goto(`/installations/vcs_a/${empty}/kv`);
    await page.getByText('No records yet.').waitFor();
    expect(await page.getByText('No records yet.').count()).toBe(1);
  });

  it.each(EVERY_SCREEN)('can be used by everybody, %s and %i pixels wide', async (colorScheme, width) => {
    await kv.put('k'.repeat(300), { data: 'x' });
    const { page, complaints } = await open(member, '', { colorScheme, width });
    await keysOn(page).waitFor();
    expect([await seriousFindings(page), await sidewaysPixels(page)]).toEqual([[], 0]);
    await keysOn(page).getByRole('link').first().click();
    await page.getByRole('dialog').getByText('Version', { exact: true }).waitFor();
    expect([await seriousFindings(page), await sidewaysPixels(page)]).toEqual([[], 0]);
    expect(complaints).toEqual([]);
  });
});
