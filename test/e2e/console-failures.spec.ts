import type { Browser, Page, Route } from 'playwright-core';
import { settled, signInBy, startBrowser, untilHolds, visit, type Visit } from '../support/browser.js';
import { type Admin, anAdmin, must, startGenerous } from '../support/identity.js';
import type { RunningService } from '../support/service.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(180_000);

const JSON_TYPE = { contentType: 'application/json' };
const MARKUP = '<html><body><h1>Squid</h1><script>alert(1)</script></body></html>';

type Answering = (route: Route) => Promise<void>;

/** What a broken service, a proxy or the sign-in page of a network may answer with, and what the page says then. */
const BROKEN: readonly [name: string, answer: Answering, words: RegExp][] = [
  [
    'a page of a proxy',
    (route) => route.fulfill({ contentType: 'text/html', body: MARKUP }),
    /a page instead/,
  ],
  [
    'JSON that breaks off',
    (route) => route.fulfill({ ...JSON_TYPE, body: '{"results":[{"id":' }),
    /broken JSON/,
  ],
  [
    'nothing that is JSON',
    (route) => route.fulfill({ ...JSON_TYPE, body: '\0\u{fffd}<b>x</b>' }),
    /broken JSON/,
  ],
  [
    'JSON of another shape',
    (route) => route.fulfill({ ...JSON_TYPE, body: '{"results":7}' }),
    /unexpected|instead of data/,
  ],
  ['null', (route) => route.fulfill({ ...JSON_TYPE, body: 'null' }), /nothing instead of data/],
  ['an empty body', (route) => route.fulfill({ ...JSON_TYPE, body: '' }), /unexpected|instead of data/],
  [
    '500 with a page',
    (route) => route.fulfill({ status: 500, contentType: 'text/html', body: MARKUP }),
    /status 500/,
  ],
  [
    '500 of its own',
    (route) =>
      route.fulfill({
        status: 500,
        ...JSON_TYPE,
        headers: { 'X-Request-Id': 'request-7' },
        body: '{"id":"INTERNAL","data":"it <b>broke</b>"}',
      }),
    /it <b>broke<\/b>[^]*request-7/,
  ],
];

/** Refusals that pass by themselves. */
const BUSY: readonly [name: string, answer: Answering, words: RegExp][] = [
  [
    '503 with a page of a proxy',
    (route) =>
      route.fulfill({ status: 503, headers: { 'Retry-After': '1' }, contentType: 'text/html', body: MARKUP }),
    /status 503[^]*Trying again in 1 second\./,
  ],
  [
    '429',
    (route) =>
      route.fulfill({
        status: 429,
        ...JSON_TYPE,
        headers: { 'Retry-After': '1' },
        body: '{"id":"RATE_LIMITED","data":"too many requests"}',
      }),
    /too many requests[^]*Trying again in 1 second\./,
  ],
  ['no connection', (route) => route.abort('connectionrefused'), /cannot be reached\.[^]*Trying again\./],
];

describeWith('chromium', 'The console of a service that fails', () => {
  let service: RunningService;
  let browser: Browser;
  let admin: Admin;
  let stateId: string;
  let visitor: Visit;
  let page: Page;

  beforeAll(async () => {
    service = await startGenerous();
    admin = await anAdmin(service);
    const body = { name: 'kept' };
    const path = `/tenants/${admin.tenantId}/states`;
    stateId = (await must(service, 'POST', path, { as: admin.token, body }))['id'] ?? '';
    browser = await startBrowser();
    visitor = await visit(browser, service.url);
    ({ page } = visitor);
    await page.goto('/');
    await signInBy(page, admin);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  afterEach(async () => {
    await visitor.context.unrouteAll({ behavior: 'ignoreErrors' });
  });

  /** Every answer of the API but those that the frame asks for. */
  const answersWith = (answer: Answering) =>
    visitor.context.route(/\/api\/v1\/(?!whoami|user\/tenants|capabilities)/, answer);

  async function opened(path: string): Promise<void> {
    await page.goto(path);
    await page.getByRole('banner').waitFor();
  }

  const PAGES = () =>
    [
      ['a list', `/tenants/${admin.tenantId}/states`, () => page.getByRole('link', { name: 'kept' })],
      ['an object', `/states/${stateId}`, () => page.getByRole('heading', { level: 1, name: 'kept' })],
    ] as const;

  it.each(BROKEN)('says so when it answers %s, and offers another attempt', async (_name, answer, words) => {
    for (const [, address, content] of PAGES()) {
      await answersWith(answer);
      await opened(address);
      const alert = page.locator('main').getByRole('alert').filter({ hasText: words }).first();
      await alert.waitFor();
      // What came is neither run nor shown.
      expect(await page.locator('main').innerText()).not.toMatch(/Squid|results|undefined|\[object/);
      expect(await page.locator('main h1 + script, main b, main script').count()).toBe(0);
      await visitor.context.unrouteAll();
      await page.locator('main').getByRole('button', { name: 'Try again' }).first().click();
      await content().first().waitFor();
    }
  });

  it.each(BUSY)('says why it waits for %s, and goes on by itself', async (_name, answer, words) => {
    const [[, address, content]] = PAGES();
    // Each request is refused once; the next attempt is answered when the words were seen.
    const refused = new Set<string>();
    let goOn = (): void => undefined;
    const isSeen = new Promise<void>((resolve) => (goOn = resolve));
    await answersWith(async (route) => {
      const url = route.request().url();
      if (!refused.has(url)) return (refused.add(url), answer(route));
      await isSeen;
      return route.continue();
    });
    await opened(address);
    await page.locator('main [role="status"][aria-busy="true"]').filter({ hasText: words }).waitFor();
    goOn();
    await content().first().waitFor();
    await page.getByRole('alert').waitFor({ state: 'detached' });
  });

  it('asks no sooner than the service wants, and leaves a long wait to the user', async () => {
    let asked = 0;
    const [[, address, content]] = PAGES();
    await answersWith((route) => {
      asked += /\/states\?/.test(route.request().url()) || /\/states$/.test(route.request().url()) ? 1 : 0;
      return route.fulfill({ status: 503, ...JSON_TYPE, headers: { 'Retry-After': '900' }, body: '{}' });
    });
    await opened(address);
    await page.getByRole('alert').getByText('The service asks to wait 900 seconds.').waitFor();
    expect(asked).toBe(1);
    await visitor.context.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await content().first().waitFor();
  });

  it('shows that it waits for a slow answer, and can be left meanwhile', async () => {
    const held: Route[] = [];
    await answersWith(async (route) => void held.push(route));
    await opened(`/tenants/${admin.tenantId}/states`);
    await page.locator('main [aria-busy="true"]').first().waitFor();
    await page.getByRole('heading', { level: 1, name: 'States' }).waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Settings' }).click();
    await page.getByRole('heading', { level: 1, name: 'Settings' }).waitFor();
    await visitor.context.unrouteAll({ behavior: 'ignoreErrors' });
    for (const route of held) await route.abort().catch(() => undefined);
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'States' }).click();
    await page.getByRole('link', { name: 'kept' }).waitFor();
  });

  it('shows what it had when a refresh fails', async () => {
    await opened(`/states/${stateId}`);
    await settled(visitor);
    await answersWith((route) => route.fulfill({ status: 500, contentType: 'text/html', body: MARKUP }));
    const navigation = page.getByRole('navigation', { name: 'State', exact: true });
    await navigation.getByRole('link', { name: 'Versions' }).click();
    await page.getByRole('alert').filter({ hasText: 'status 500' }).first().waitFor();
    await page.getByRole('heading', { level: 1, name: 'kept' }).waitFor();
    await visitor.context.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).first().click();
    await page.getByText('No versions yet', { exact: false }).waitFor();
  });

  it.each([
    [
      '500',
      (route: Route) => route.fulfill({ status: 500, contentType: 'text/html', body: MARKUP }),
      /status 500/,
    ],
    [
      '503 with Retry-After',
      (route: Route) =>
        route.fulfill({ status: 503, ...JSON_TYPE, headers: { 'Retry-After': '2' }, body: '{}' }),
      /asks to wait 2 seconds/,
    ],
    ['a page', (route: Route) => route.fulfill({ contentType: 'text/html', body: MARKUP }), /a page instead/],
    ['no connection', (route: Route) => route.abort(), /cannot be reached/],
  ])(
    'keeps what was typed when a change gets %s, and never sends it twice by itself',
    async (_name, answer, words) => {
      let sent = 0;
      await opened(`/tenants/${admin.tenantId}/states`);
      await page.getByRole('button', { name: 'New state' }).click();
      const dialog = page.getByRole('dialog', { name: 'New state' });
      await dialog.getByLabel('Name').fill('typed with care');
      await visitor.context.route(/\/api\/v1\/tenants\/[^/]+\/states$/, (route) => {
        if (route.request().method() !== 'POST') return route.fallback();
        sent += 1;
        return answer(route);
      });
      await dialog.getByRole('button', { name: 'Create' }).click();
      await dialog.getByRole('alert').filter({ hasText: words }).waitFor();
      expect(await dialog.getByLabel('Name').inputValue()).toBe('typed with care');
      expect(await dialog.innerText()).not.toContain('Squid');
      expect(sent).toBe(1);
      await dialog.getByRole('button', { name: 'Cancel' }).click();
      await dialog.waitFor({ state: 'detached' });
    },
  );

  it('keeps a query that could not be run', async () => {
    await opened('/sql');
    const editor = page.getByRole('textbox', { name: 'Query' });
    await editor.fill('SELECT name FROM states');
    await visitor.context.route(/\/mql\?/, (route) =>
      route.fulfill({ status: 500, contentType: 'text/html', body: MARKUP }),
    );
    await page.getByRole('button', { name: 'Run' }).click();
    await page.getByRole('alert').filter({ hasText: 'status 500' }).waitFor();
    await untilHolds(async () => expect(await editor.innerText()).toContain('SELECT name FROM states'));
    await visitor.context.unrouteAll();
    await page.getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('table', { name: 'Results' }).getByText('kept').waitFor();
  });

  it('is no blank page when nobody can say who is signed in', async () => {
    for (const answer of [
      { status: 500, contentType: 'text/html', body: MARKUP },
      { contentType: 'text/html', body: MARKUP },
      { ...JSON_TYPE, body: '{}' },
      { ...JSON_TYPE, body: 'null' },
    ]) {
      await visitor.context.route(/\/api\/v1\/whoami/, (route) => route.fulfill(answer));
      await page.goto('/keys');
      await page.getByRole('alert').first().waitFor();
      expect(await page.locator('body').innerText()).not.toContain('Squid');
      await visitor.context.unrouteAll();
      await page.getByRole('button', { name: 'Try again' }).first().click();
      await page.getByRole('heading', { level: 1, name: 'API keys' }).waitFor();
    }
  });

  it('has run nothing of all that', () => {
    // What it could not show is logged; that is all.
    const attacks = visitor.complaints.filter((text) => /violated|opened a dialog| asked /.test(text));
    expect(attacks).toEqual([]);
  });
});
