import type { Browser, Page } from 'playwright-core';
import { signInBy, startBrowser, visit, type Visit } from '../support/browser.js';
import { type Admin, anAdmin, must } from '../support/identity.js';
import { hasNginx, Nginx } from '../support/nginx.js';
import { NEXT, nextVersion } from '../support/next-version.js';
import { type RunningService, startService } from '../support/service.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(180_000);

const suite = (title: string, body: () => void): void => {
  if (hasNginx) describeWith('chromium', title, body);
  else describeWith('nginx', title, body);
};

/** The steps of a deployment, with one browser that is open all the time. */
suite('The console while its replicas are replaced', () => {
  let replicas: RunningService[];
  let nginx: Nginx;
  let next: ReturnType<typeof nextVersion>;
  let browser: Browser;
  let admin: Admin;
  let stateId: string;
  let visitor: Visit;
  let page: Page;

  beforeAll(async () => {
    next = nextVersion();
    const first = await startService();
    replicas = [first, await startService({ database: first.database })];
    nginx = await Nginx.start(
      replicas.map(({ url }) => url),
      { tellsPort: true },
    );
    admin = await anAdmin(first);
    const body = { name: 'deployed' };
    const path = `/tenants/${admin.tenantId}/states`;
    stateId = (await must(first, 'POST', path, { as: admin.token, body }))['id'] ?? '';
    browser = await startBrowser();
    visitor = await visit(browser, nginx.url);
    ({ page } = visitor);
    await page.goto(path);
    await signInBy(page, admin);
    await page.getByRole('link', { name: 'deployed' }).waitFor();
  });
  afterAll(async () => {
    await browser?.close();
    await nginx?.stop();
    const [first, ...others] = replicas ?? [];
    // The database goes with the first one.
    for (const replica of [...others, first]) await replica?.stop();
    next?.remove();
  });

  const main = (name: string) => page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name });
  const isNext = async (): Promise<boolean> => (await page.locator(`script[src*="${NEXT}"]`).count()) > 0;
  const loads = (): Promise<number> => page.evaluate('performance.timeOrigin');

  /** Another process at the address of a replica; the build of the next version, or the same one. */
  async function replace(index: number, root: string): Promise<void> {
    const old = replicas[index];
    if (!old) throw new Error(`no replica ${index}`);
    await old.kill9();
    const { database } = old;
    const started = await startService({ database, root, port: Number(new URL(old.url).port) });
    // The first one still owns the database.
    replicas[index] =
      index === 0 ? { ...started, stop: () => started.stop().then(() => old.stop()) } : started;
  }

  it('goes on when one is killed: pages, lists and changes', async () => {
    const loaded = await loads();
    await replicas[1]?.kill9();
    await main('API keys').click();
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('made meanwhile');
    await page.getByRole('button', { name: 'Create', exact: true }).click();
    await page.getByRole('button', { name: 'Done' }).click();
    await page.getByRole('table', { name: 'API keys' }).getByText('made meanwhile').waitFor();
    await main('Members').click();
    await page.getByRole('table', { name: 'Members' }).getByText(admin.email).waitFor();
    expect(await loads()).toBe(loaded);
    expect(visitor.complaints).toEqual([]);
  });

  it('opens pages that were never opened while both versions answer', async () => {
    await replace(1, next.root);
    const loaded = await loads();
    await main('States').click();
    await page.getByRole('link', { name: 'deployed' }).click();
    await page.getByRole('heading', { level: 1, name: 'deployed' }).waitFor();
    const tabs = page.getByRole('navigation', { name: 'State', exact: true });
    await tabs.getByRole('link', { name: 'Connect' }).click();
    await page.getByRole('region', { name: 'Terraform and OpenTofu' }).waitFor();
    // The parts of the old document still come from the replica that has them.
    expect(await loads()).toBe(loaded);
    // A document of either version finds its parts.
    const seen = new Set<boolean>();
    for (let attempt = 0; seen.size < 2 && attempt < 60; attempt += 1) {
      // The proxy takes turns: now and then it is the other one's turn.
      if (attempt % 2 === 1) await fetch(`${nginx.url}/health/live`);
      await page.reload();
      await page.getByRole('region', { name: 'Terraform and OpenTofu' }).waitFor();
      seen.add(await isNext());
    }
    expect(seen.size).toBe(2);
    expect(visitor.complaints).toEqual([]);
  });

  it('keeps what was typed when the last replica of its version is gone, and says what to do', async () => {
    await replicas[1]?.kill9();
    await page.goto(`/tenants/${admin.tenantId}/states`);
    expect(await isNext()).toBe(false);
    await page.getByRole('button', { name: 'New state' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('half typed');
    await replace(0, next.root);
    await page.keyboard.press('Control+k');
    await page.getByRole('alert').getByText('What you typed is still here', { exact: false }).waitFor();
    expect(await page.getByRole('dialog').getByLabel('Name').inputValue()).toBe('half typed');
    await page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
  });

  it('loads itself anew, once, for a page of the version that is gone', async () => {
    await page.goto(`/states/${stateId}`);
    expect(await isNext()).toBe(true);
    // An old document: its parts are nowhere any more, also for a link that is only pointed at.
    let isOld = true;
    page.on('request', (request) => {
      if (request.isNavigationRequest()) isOld = false;
    });
    const gone = { status: 404, contentType: 'application/json', body: '{"id":"NOT_FOUND","data":"gone"}' };
    const part = /\/assets\/outputs-page-next[\w-]+\.js$/;
    await visitor.context.route(part, (route) => (isOld ? route.fulfill(gone) : route.continue()));
    await page.getByRole('heading', { level: 1, name: 'deployed' }).waitFor();
    const loaded = await loads();
    const tabs = page.getByRole('navigation', { name: 'State', exact: true });
    await tabs.getByRole('link', { name: 'Outputs' }).click();
    await page.getByText('No outputs', { exact: false }).waitFor();
    expect(page.url()).toBe(`${nginx.url}/states/${stateId}/outputs`);
    expect(await loads()).not.toBe(loaded);
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });
});
