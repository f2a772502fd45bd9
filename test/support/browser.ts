import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';

export interface Visit {
  page: Page;
  context: BrowserContext;
  /** errors, violations of the policy and requests to other hosts; empty when all is well */
  complaints: string[];
}

const SWITCHES = [
  '--no-sandbox',
  '--use-angle=swiftshader',
  '--enable-unsafe-swiftshader',
  '--disable-background-networking',
  '--disable-component-update',
];

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
  page.on('console', (message) => {
    // What the service refuses is logged by the browser itself.
    if (message.type() === 'error' && !/the server responded with a status of 4/.test(message.text()))
      complaints.push(`${page.url()} ${message.text()}`);
  });
  page.on('pageerror', (error) => complaints.push(`${page.url()} ${String(error)}`));
  page.on('request', (request) => {
    const { protocol, origin } = new URL(request.url());
    if (/^(?:https?|wss?):$/.test(protocol) && origin !== new URL(baseURL).origin)
      complaints.push(`${page.url()} asked ${request.url()}`);
  });
  return { page, context, complaints };
}

/** Signs in by the page, from wherever the browser is sent to. */
export async function signInBy(page: Page, person: { email: string; password: string }): Promise<void> {
  await page.getByLabel('Email').fill(person.email);
  await page.getByLabel('Password', { exact: true }).fill(person.password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('banner').waitFor();
}

/** Findings of axe that keep somebody from using the page. */
export async function seriousFindings(page: Page): Promise<string[]> {
  await page.evaluate(AXE);
  const { violations } = await page.evaluate<{ violations: Finding[] }>(
    `axe.run({ resultTypes: ['violations'] })`,
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
