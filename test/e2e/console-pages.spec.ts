import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import {
  cutControls,
  follow,
  foreignMarkup,
  seriousFindings,
  settled,
  sidewaysPixels,
  signInBy,
  startBrowser,
  untilHolds,
  untilStill,
  visit,
  type Visit,
} from '../support/browser.js';
import {
  aConsoleEstate,
  ADMINISTRATOR,
  type ConsoleEstate,
  type ConsoleService,
  startConsole,
} from '../support/console-estate.js';
import { FRAME_NAMES, MAIN_LINKS, missingNames, PAGE_NAMES } from '../support/console-names.js';
import { addressOfRoute, consoleRoutes, type ConsoleRoute } from '../support/console-routes.js';
import { rounds } from '../support/endurance.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(900_000);

/** Stands in every text that a user, a client, a provider or a code host can choose; all of it is only text. */
const MARK =
  'alpha <img src=x onerror=alert(1)><script>alert(2)</script>"\' onmouseover=alert(3) <a href="javascript:alert(4)">\u202e\u2066x</a>';
/** Narrow screens take as long again: with the endurance tests. */
const WIDTHS = [1280, 360].slice(0, rounds(1, 2));
/** Pages whose every rule and dark colors are judged in each run; of all pages with the endurance tests. */
const JUDGED = rounds(
  /^(tenants-tenantId(-states|-members)?|states-stateId(-instances|-versions|-graph)?|transactions-txId|opened-instance|query|keys|settings|login)$/,
  /^/,
);
/** The name of a column, and of one that does not exist. */
const TAG = '<img src=x onerror=alert(5)>';
/** How long a page that has settled may take to show what it is there for. */
const SHOWN_WITHIN_MS = 10_000;
/** A folder for pictures of every page, to be looked at. */
const PICTURES = process.env['CONSOLE_SCREENSHOTS'];

/** No proof that somebody administers an organization; an invitation and a state that do not exist. */
const EXPECTED_REFUSALS = /claimable 412$|token=none 404$|states\/0d4ab3c0-[^ ]* 404$|mql\?.*onerror.* 400$/;

/** Text that shows that a page has what it is there for; a page without an entry only has to be sound. */
const CONTENT: Readonly<Record<string, string>> = {
  '/tenants/$tenantId': MARK,
  '/tenants/$tenantId/states': `${MARK} network`,
  '/tenants/$tenantId/transactions': `${MARK} planned`,
  '/tenants/$tenantId/members': 'admin@example.test',
  '/tenants/$tenantId/invitations': 'grace.hopper@example.test',
  '/tenants/$tenantId/group-rules': `${MARK}*`,
  '/tenants/$tenantId/audit': 'state.create',
  '/tenants/$tenantId/settings': 'Rename',
  '/tenants/$tenantId/costs': 'aws_instance',
  '/tenants/$tenantId/spend': `vol-${MARK}`,
  '/tenants/$tenantId/billing-sources': `s3://${MARK}/bills`,
  '/tenants/$tenantId/gaps': `arn:aws:s3:::${MARK}`,
  '/tenants/$tenantId/security': `aws_instance.${MARK}`,
  '/tenants/$tenantId/installations': MARK,
  '/tenants/$tenantId/installations/deliveries': `pull_request ${MARK}`,
  '/installations/$vcs/$installationId/kv': MARK,
  '/installations/$vcs/$installationId/pull-requests': MARK,
  '/states/$stateId': `${MARK}-network`,
  '/states/$stateId/instances': 'aws_subnet.main[0]',
  '/states/$stateId/modules': 'module.storage',
  '/states/$stateId/outputs': '(sensitive)',
  '/states/$stateId/graph': 'aws_vpc.main',
  '/states/$stateId/versions': 'Admin',
  '/states/$stateId/versions/$from/diff/$to': 'module.storage["a"].aws_s3_bucket.main["old"]',
  '/states/$stateId/connect': 'unlock_method',
  '/states/$stateId/settings': 'Delete state',
  '/states/$stateId/costs': `aws_instance.${MARK}`,
  '/states/$stateId/security': `aws_instance.${MARK}`,
  '/transactions/$txId': 'module.m.test_thing.b',
  '/transactions/$txId/output': `line 39: ${MARK}`,
  '/transactions/$txId/log': 'test_thing.a',
  '/keys': `key of ${MARK}`,
  '/users': 'admin@example.test',
  '/audit': 'state.create',
  '/settings': 'Change password',
};

const nameOf = (path: string): string => path.replaceAll(/[/$]+/g, '-').slice(1);
const NAMES = new Map(Object.entries(PAGE_NAMES).map(([path, names]) => [nameOf(path), names]));
/** Pages without the frame, and the one that `follow` goes by. */
const OUTSIDE = /^\/(?:login|setup|invitations|no\/)/;

describeWith('chromium', 'Every page of the console', () => {
  let service: ConsoleService;
  let estate: ConsoleEstate;
  let browser: Browser;
  let routes: ConsoleRoute[];
  const screens: { width: number; visitor: Visit }[] = [];

  beforeAll(async () => {
    if (PICTURES !== undefined) mkdirSync(PICTURES, { recursive: true });
    service = await startConsole();
    estate = await aConsoleEstate(service, MARK);
    routes = await consoleRoutes();
    browser = await startBrowser();
    for (const width of WIDTHS) {
      const visitor = await visit(browser, service.backend.url, { width });
      await visitor.page.goto('/settings');
      await signInBy(visitor.page, ADMINISTRATOR);
      screens.push({ width, visitor });
    }
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  /** What is wrong with a page on one screen, in both color schemes. */
  async function faultsOf(
    address: string,
    name: string,
    screen: (typeof screens)[number],
  ): Promise<string[]> {
    const { width, visitor } = screen;
    const { page, complaints, refusals } = visitor;
    const schemes = JUDGED.test(name) || PICTURES !== undefined ? (['light', 'dark'] as const) : [];
    complaints.length = 0;
    refusals.length = 0;
    const faults: string[] = [];
    await page.emulateMedia({ colorScheme: 'light' });
    if (schemes.length === 0 && !OUTSIDE.test(address)) await follow(visitor, address);
    else await page.goto(address);
    await settled(visitor);
    for (const scheme of schemes) {
      await page.emulateMedia({ colorScheme: scheme });
      await untilStill(page);
      // What axe finds is the same in both schemes, but for the colors.
      const findings = await seriousFindings(page, scheme === 'light' ? undefined : ['color-contrast']);
      faults.push(...findings.map((finding) => `${scheme} ${finding}`));
      if (PICTURES !== undefined)
        await page.screenshot({
          path: join(PICTURES, `${name}-${width}-${scheme}.png`),
          fullPage: true,
        });
    }
    faults.push(...(await foreignMarkup(page)));
    const sideways = await sidewaysPixels(page);
    if (sideways > 0) faults.push(`${sideways} pixels wider than its window`);
    faults.push(...(await cutControls(page)));
    const headings = await page
      .getByRole('heading', { level: 1 })
      .and(page.locator(':not([aria-level="2"])'))
      .count();
    if (headings !== 1) faults.push(`${headings} headings of the first rank`);
    const title = await page.title();
    if (!/^\S.* · Infrastructure State Service$/.test(title)) faults.push(`the title is ${title}`);
    faults.push(...(await misnamed(name, screen)));
    const unexpected = refusals.filter((refusal) => !EXPECTED_REFUSALS.test(refusal));
    return [...faults, ...complaints, ...unexpected].map((fault) => `${width}: ${fault}`);
  }

  /** What people who do not see the page would not find on it. */
  async function misnamed(name: string, { width, visitor }: (typeof screens)[number]): Promise<string[]> {
    const names = NAMES.get(name);
    const { page } = visitor;
    if (names === undefined || width < 768) return [];
    const snapshot = await page.locator('body').ariaSnapshot();
    const expected = name === 'login' ? names.has : [...FRAME_NAMES, ...names.has];
    const faults = missingNames(snapshot, expected).map((missing) => `has no ${missing}`);
    const title = await page.title();
    if (!title.startsWith(`${names.title} · `)) faults.push(`the title is ${title}`);
    const main = page.getByRole('navigation', { name: 'Main' });
    const links = (await main.getByRole('link').allInnerTexts()).filter((link) => MAIN_LINKS.includes(link));
    if (name !== 'login' && links.join() !== MAIN_LINKS.join()) faults.push(`leads to ${links.join()}`);
    const current = await page.locator('nav[aria-label="Main"] [aria-current="page"]').count();
    if (name !== 'login' && current !== 1) faults.push(`has ${current} current links`);
    return faults;
  }

  async function walk(pages: readonly (readonly [name: string, address: string, text?: string])[]) {
    const faults: string[] = [];
    for (const [name, address, text] of pages) {
      const found = await Promise.all(
        screens.map((screen) =>
          faultsOf(address, name, screen).catch((error: unknown) => [`${screen.width}: ${String(error)}`]),
        ),
      );
      faults.push(...found.flat().map((fault) => `${name} ${fault}`));
      const content = screens[0]?.visitor.page.locator('main');
      if (text === undefined || !content) continue;
      const isShown = content.getByText(text).first().waitFor({ timeout: SHOWN_WITHIN_MS });
      await isShown.catch(() => faults.push(`${name} does not show ${text}`));
    }
    return faults;
  }

  it('is sound: of each area, in light and dark, wide and narrow', async () => {
    const pages = routes
      .filter(({ isPublic }) => !isPublic)
      .map(({ path }) => [nameOf(path), addressOfRoute(path, estate), CONTENT[path]] as const);
    expect(pages.length).toBeGreaterThan(35);
    expect(await walk(pages)).toEqual([]);
  });

  it('is sound with what one can open, ask or come across on it', async () => {
    const { stateId = '' } = estate.parameters;
    const { states } = estate;
    const opened = encodeURIComponent('aws_subnet.main[1]');
    expect(
      await walk([
        ['opened-instance', `/states/${stateId}/instances?instance=${opened}`, 'aws_vpc.main'],
        ['graph-blast', `/states/${stateId}/graph?address=aws_vpc.main&blast=true`, 'Blast radius:'],
        ['graph-large', `/states/${states.large}/graph?address=test_thing.thing_4&depth=3`, 'test_thing'],
        ['submissions', `/states/${states.contested}/submissions`, 'touched the same instances'],
        ['conflicts', `/transactions/${estate.conflicting}/conflicts`, `${MARK} planned`],
        ['locked', `/states/${states.locked}`, `Locked by ${MARK}`],
        ['empty', `/states/${states.empty}`, 'Nothing was written yet'],
        ['broken', `/states/${states.broken}`, 'This document has no graph'],
        ['legacy', `/states/${states.legacy}/versions`, 'Admin'],
        ['encrypted', `/states/${states.encrypted}/instances`, MARK],
        ['query', `/sql?q=${encodeURIComponent('SELECT name, serial FROM states')}`],
        ['hostile-column', `/sql?q=${encodeURIComponent(`SELECT name AS "${TAG}" FROM states`)}`, TAG],
        ['hostile-error', `/sql?q=${encodeURIComponent(`SELECT "${TAG}" FROM states`)}`, TAG],
        ['unknown-page', '/no/such/page', 'no page'],
        ['unknown-state', '/states/0d4ab3c0-0000-4000-8000-000000000000'],
      ]),
    ).toEqual([]);
  });

  it('would find markup and scripts that came from a text', async () => {
    const page = screens[0]?.visitor.page;
    if (!page) throw new Error('no page');
    const traces = [
      '<img src=x>',
      '<a href="javascript:alert(1)">x</a>',
      '<a href="//evil.example/">x</a>',
      '<b onclick="alert(1)">x</b>',
      '<iframe></iframe>',
    ];
    for (const markup of traces) {
      await page.evaluate(
        `document.querySelector('h1').insertAdjacentHTML('beforeend', ${JSON.stringify(markup)})`,
      );
      expect(await foreignMarkup(page)).toHaveLength(1);
      await page.evaluate(`document.querySelector('h1').lastElementChild.remove()`);
    }
    const { complaints } = screens[0]?.visitor ?? { complaints: [] };
    complaints.length = 0;
    await page.evaluate(
      `document.body.append(Object.assign(document.createElement('script'), { text: '1' }))`,
    );
    await page.evaluate(`document.querySelector('body > script:last-child').remove()`);
    await untilHolds(async () =>
      expect(complaints.filter((complaint) => complaint.includes('violated script-src'))).not.toEqual([]),
    );
  });

  it('is sound for people who are not signed in', async () => {
    for (const { visitor } of screens) await visitor.context.clearCookies();
    expect(
      await walk([
        ['login', '/login', 'Password'],
        ['login-failed', '/login?failure=LOGIN_ATTEMPT_INVALID', 'Sign in'],
        ['setup', '/setup'],
        ['invitation', new URL(estate.invitation).pathname + new URL(estate.invitation).search],
        ['invitation-unknown', '/invitations/accept?token=none'],
      ]),
    ).toEqual([]);
  });
});
