import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page, type Request } from 'playwright-core';

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
  '--use-angle=swiftshader',
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

/** Signs in by the page, from wherever the browser is sent to. */
export async function signInBy(page: Page, person: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').waitFor();
}

/** Findings of axe that keep somebody from using the page; of some rules only, or of all. */
export async function seriousFindings(page: Page, rules?: readonly string[]): Promise<string[]> {
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
export function sidewaysPixels(page: Page): Promise<number> {
  return page.evaluate<number>(
    'Math.max(0, document.documentElement.scrollWidth - document.documentElement.clientWidth)',
  );
}
