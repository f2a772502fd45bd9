import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import {
  type Browser,
  type BrowserContext,
  chromium,
  type Locator,
  type Page,
  type Request,
} from 'playwright-core';
import { rounds } from './endurance.js';

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** errors, violations of the policy and requests to other hosts; empty when all is well */
  complaints: string[];
  /** requests of the page that were answered with 400 or more */
  refusals: string[];
  /** requests that have no answer yet */
  pending(): number;
}

const SWITCHES = [
  '--no-sandbox',
  // Pages are drawn without a graphics library, which halves the work of a machine that has no card; graphs still have one.
  '--disable-gpu',
  '--enable-unsafe-swiftshader',
  '--disable-background-networking',
  '--disable-component-update',
];

const SETTLE_LIMIT_MS = 25_000;
const AXE = readFileSync(require.resolve('axe-core'), 'utf8');

/** Chromium from the machine's packages. */
export function startBrowser(switches: readonly string[] = []): Promise<Browser> {
  const found = spawnSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).stdout.trim();
  return chromium.launch({ executablePath: found, args: [...SWITCHES, ...switches] });
}

interface VisitOptions {
  colorScheme?: 'light' | 'dark';
  width?: number;
}

const VIOLATION = 'reportPolicyViolation';
/** In every page: what the policy refused, also where the browser logs nothing. */
const REPORT_VIOLATIONS = `addEventListener('securitypolicyviolation', (event) =>
  ${VIOLATION}('violated ' + event.effectiveDirective + ' with ' + event.blockedURI))`;

/** A browser of somebody who was never here. */
export async function visit(
  browser: Browser,
  baseURL: string,
  { colorScheme = 'light', width = 1280 }: VisitOptions = {},
): Promise<Visit> {
  const context = await browser.newContext({ baseURL, colorScheme, viewport: { width, height: 900 } });
  // Below Jest's own, so that it says what was waited for.
  context.setDefaultTimeout(25_000);
  const page = await context.newPage();
  const complaints: string[] = [];
  const refusals: string[] = [];
  const open = new Set<Request>();
  page.on('console', (message) => {
    // What the service refuses is logged by the browser itself.
    if (message.type() === 'error' && !/the server responded with a status of 4/.test(message.text()))
      complaints.push(`${page.url()} ${message.text()}`);
  });
  page.on('dialog', (dialog) => {
    // The browser asks before something typed is lost; a test that leaves the page means to.
    if (dialog.type() === 'beforeunload') return void dialog.accept();
    complaints.push(`${page.url()} opened a dialog: ${dialog.message()}`);
    return void dialog.dismiss();
  });
  await context.exposeFunction(VIOLATION, (text: string) => complaints.push(`${page.url()} ${text}`));
  await context.addInitScript(REPORT_VIOLATIONS);
  page.on('pageerror', (error) => complaints.push(`${page.url()} ${String(error)}`));
  page.on('response', (response) => {
    if (response.status() >= 400)
      refusals.push(`${page.url()} ${response.request().method()} ${response.url()} ${response.status()}`);
  });
  const close = (request: Request): void => void open.delete(request);
  page.on('requestfinished', close).on('requestfailed', close);
  page.on('request', (request) => {
    open.add(request);
    const { protocol, origin } = new URL(request.url());
    if (/^(?:https?|wss?):$/.test(protocol) && origin !== new URL(baseURL).origin)
      complaints.push(`${page.url()} asked ${request.url()}`);
  });
  return { page, context, complaints, refusals, pending: () => open.size };
}

/** Until the page has its heading and waits for nothing. */
export async function settled({ page, pending }: Pick<Visit, 'page' | 'pending'>): Promise<void> {
  await page.locator('h1').first().waitFor();
  const busy = page.locator('[aria-busy="true"], [role="progressbar"]');
  const begun = Date.now();
  for (let quiet = 0; quiet < 3;) {
    quiet = pending() === 0 && (await busy.count()) === 0 ? quiet + 1 : 0;
    if (Date.now() - begun > SETTLE_LIMIT_MS)
      throw new Error(
        `${page.url()} still waits: ${(await busy.allInnerTexts()).join()}, ${pending()} requests`,
      );
    await page.waitForTimeout(40);
  }
}

/** Until an expression of the page is true; Playwright's own way evaluates text in the page, which the policy forbids. */
export async function untilTrue(page: Page, expression: string): Promise<void> {
  for (const begun = Date.now(); !(await page.evaluate<boolean>(expression));) {
    if (Date.now() - begun > SETTLE_LIMIT_MS) throw new Error(`never true: ${expression}`);
    await page.waitForTimeout(20);
  }
}

/**
 * Repeats an expectation of the page until it holds, and fails as it failed last. For everything that is read at one
 * moment: counts, titles, values of fields, texts.
 */
export async function untilHolds(expectation: () => Promise<void>): Promise<void> {
  for (const begun = Date.now(); ;) {
    try {
      return await expectation();
    } catch (error) {
      if (Date.now() - begun > SETTLE_LIMIT_MS) throw error;
      await new Promise((resolve) => setTimeout(resolve, 40));
    }
  }
}

/** Until nothing on the page moves or changes its color, apart from what never ends. */
export async function untilStill(page: Page): Promise<void> {
  await page.evaluate(TRANSITIONS_DONE);
}

/** In the page: what begins with the next two frames is waited for as well. */
const TRANSITIONS_DONE = `(async () => {
  const endless = (each) => each.effect?.getComputedTiming().endTime === Infinity;
  for (let frame = 0; frame < 2; frame += 1) {
    await new Promise(requestAnimationFrame);
    const moving = document.getAnimations().filter((each) => each.playState === 'running' && !endless(each));
    await Promise.allSettled(moving.map((each) => each.finished));
  }
})()`;

/** Reads on to the end of a list until a row of it is there. */
export async function scrollUntil(frame: Locator, row: Locator): Promise<void> {
  await untilHolds(async () => {
    if ((await row.count()) > 0) return;
    // A short list does not scroll, and is not there at once.
    await frame.press('End', { timeout: 1_000 });
    throw new Error(`${String(row)} is not in the list`);
  });
}

/** Goes to a page as a link of the console does: without loading the document again, which takes most of the time. */
export async function follow({ page }: Pick<Visit, 'page'>, address: string): Promise<void> {
  // The page between has no part and asks nothing, so that the next title is that of the new page.
  await page.evaluate(`history.pushState({}, '', '/no/such/page')`);
  await untilTrue(page, `document.title.startsWith('Page not found')`);
  await page.evaluate(`history.pushState({}, '', ${JSON.stringify(address)})`);
  await untilTrue(page, `!document.title.startsWith('Page not found')`);
}

/** Signs in by the page, from wherever the browser is sent to. */
export async function signInBy(page: Page, person: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').waitFor();
}

/** Findings of axe that keep somebody from using the page; of some rules only, or of all. */
export async function seriousFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
  // What fades in or out has any contrast.
  await untilStill(page);
  if (await page.evaluate<boolean>(`typeof axe === 'undefined'`)) await page.evaluate(AXE);
  const options = { resultTypes: ['violations'], ...(rules ? { runOnly: rules } : {}) };
  const { violations } = await page.evaluate<{ violations: Finding[] }>(
    `axe.run(${JSON.stringify(options)})`,
  );
  return violations
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, nodes }) => `${id} ${nodes.map(({ target }) => target.join(' ')).join(', ')}`);
}

interface Finding {
  id: string;
  impact: string;
  nodes: { target: unknown[] }[];
}

/** Pixels by which a page is wider than its window. */
export async function sidewaysPixels(page: Page): Promise<number> {
  await untilStill(page);
  return page.evaluate<number>(
    'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
  );
}

/**
 * Buttons, links and fields of which a part cannot be seen because what is around them is cut off, and cannot be scrolled.
 * What ends in an ellipsis, or is there for screen readers only, is meant to be cut.
 */
export async function cutControls(page: Page): Promise<string[]> {
  await untilStill(page);
  return page.evaluate<string[]>(CUT_CONTROLS);
}

const CUT_CONTROLS = `(() => {
  const found = [];
  for (const control of document.querySelectorAll('main :is(a, button, input, select, textarea, td, th)')) {
    const box = control.getBoundingClientRect();
    if (box.width < 2 || box.height < 2) continue;
    for (let around = control.parentElement; around && around !== document.body; around = around.parentElement) {
      const style = getComputedStyle(around);
      if (style.overflowX === 'auto' || style.overflowX === 'scroll') break;
      if (style.overflowX !== 'hidden' || style.textOverflow === 'ellipsis') continue;
      const frame = around.getBoundingClientRect();
      if (frame.width < 2 || frame.height < 2) break;
      if (box.right > frame.right + 2 || box.left < frame.left - 2) {
        found.push('cuts ' + control.outerHTML.slice(0, 120));
        break;
      }
    }
  }
  return found;
})()`;

/** Elements that text of users must never become, and links to places that are not pages of the service. */
export function foreignMarkup(page: Page): Promise<string[]> {
  return page.evaluate<string[]>(FOREIGN_MARKUP);
}

/** What the console itself has none of; its one link to other hosts is https and tells them nothing. */
const FOREIGN_MARKUP = `(() => {
  const forbidden = 'script:not([src]), iframe, frame, object, embed, base, form[action], [srcdoc], [src="x"], [href="x"]';
  const links = [...document.querySelectorAll('a[href], area[href]')].filter(({ href, rel }) => {
    if (!URL.canParse(href)) return true;
    const { origin, protocol } = new URL(href);
    return origin !== location.origin && !(protocol === 'https:' && rel.includes('noreferrer'));
  });
  const handlers = [...document.querySelectorAll('*')].filter((element) =>
    element.getAttributeNames().some((name) => name.startsWith('on')));
  return [...document.querySelectorAll(forbidden), ...links, ...handlers]
    .map((element) => 'has ' + element.outerHTML.slice(0, 200));
})()`;

/** Color schemes and widths that a page is judged in: the hardest one in every run, all with the endurance tests. */
export const EVERY_SCREEN: readonly (readonly ['light' | 'dark', number])[] = rounds(
  [['dark', 360]],
  [
    ['light', 1280],
    ['dark', 1280],
    ['light', 360],
    ['dark', 360],
  ],
);
