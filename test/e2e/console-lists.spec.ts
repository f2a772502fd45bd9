import type { Browser, Locator, Page } from 'playwright-core';
import { aBackend, type TestBackend } from '../support/backend.js';
import {
  scrollUntil,
  settled,
  signInBy,
  startBrowser,
  untilHolds,
  untilTrue,
  visit,
  type Visit,
} from '../support/browser.js';
import { EstateWriter } from '../support/estate.js';
import { describeWith } from '../support/terraform.js';
import { TransactionClient } from '../support/transactions.js';

jest.setTimeout(180_000);

const ADMIN = { email: 'admin@example.test', password: 'correct horse battery' };
/** More than two pages of the service. */
const INSTANCES = 1_200;
const nameOf = (index: number): string => `n${String(index).padStart(4, '0')}`;

const FRAME = `document.querySelector('[aria-label="Instances, scrollable"]')`;
/** In the page: whether the list is scrolled, and the first row that can be seen. */
const PLACE = `(() => {
  const frame = ${FRAME};
  const top = frame?.querySelector('thead').getBoundingClientRect().bottom;
  const rows = [...(frame?.querySelectorAll('tbody tr[data-index]') ?? [])];
  const first = rows.find((row) => row.getBoundingClientRect().bottom > top + 1);
  globalThis.seenOfFirst = first?.getBoundingClientRect().bottom - top;
  return [frame?.scrollTop > 10_000, first?.querySelector('a')?.textContent];
})()`;
/** In the page: the first row that is not behind the head of the table, and how far below it ends. */
const UNDER_THE_EYE = `(() => {
  const frame = ${FRAME};
  const top = frame.querySelector('th').getBoundingClientRect().bottom;
  const rows = [...frame.querySelectorAll('tbody tr[data-index]')];
  const first = rows.find((row) => row.getBoundingClientRect().bottom > top + 1);
  return [first?.querySelector('a')?.textContent, (first?.getBoundingClientRect().bottom ?? 0) - top];
})()`;
/** In every page: milliseconds of the longest transition or animation so far; a spinner has no end. */
const WATCH_MOTION = `(() => {
  globalThis.longestMotion = 0;
  const look = ({ target }) => {
    for (const { effect } of target.getAnimations())
      globalThis.longestMotion = Math.max(globalThis.longestMotion, Number(effect.getTiming().duration));
  };
  for (const name of ['transitionrun', 'animationstart']) addEventListener(name, look, true);
})()`;
/** In the page: as if its tab went to the background, or came to the front. */
const turnTo = (visibility: 'hidden' | 'visible'): string => `(() => {
  Object.defineProperty(document, 'visibilityState', { configurable: true, get: () => '${visibility}' });
  document.dispatchEvent(new Event('visibilitychange', { bubbles: true }));
})()`;

describeWith('chromium', 'Lists, refreshes and motion in the browser', () => {
  let backend: TestBackend;
  let browser: Browser;
  let visited: Visit;
  let page: Page;
  let stateId: string;
  let writer: EstateWriter;
  const instances = Array.from({ length: INSTANCES }, (_, index) => nameOf(index));
  beforeAll(async () => {
    backend = await aBackend();
    const state = await backend.aState({ name: 'long' });
    stateId = state.id;
    writer = new EstateWriter(backend, state);
    await writer.write(instances.map((name) => ({ type: 'test_thing', name })));
    browser = await startBrowser();
    visited = await visit(browser, backend.url);
    ({ page } = visited);
    await page.goto('/settings');
    await signInBy(page, ADMIN);
  });
  afterAll(async () => {
    await browser?.close();
    await backend?.stop();
  });

  const place = (): Promise<[boolean, string]> => page.evaluate<[boolean, string]>(PLACE);
  const tab = (name: string): Locator =>
    page.getByRole('navigation', { name: 'State', exact: true }).getByRole('link', { name });
  const linkTo = (index: number): Locator =>
    page.getByRole('link', { name: `test_thing.${nameOf(index)}`, exact: true });

  it('keep their place and what was read when one comes back, by the browser or by a link', async () => {
    await page.goto(`/states/${stateId}/instances`);
    const frame = page.getByRole('group', { name: 'Instances, scrollable' });
    await scrollUntil(frame, linkTo(INSTANCES - 1));
    await settled(visited);
    await page.evaluate(`${FRAME}.scrollTop = ${FRAME}.scrollHeight / 2`);
    await linkTo(INSTANCES / 2).waitFor();
    await place();
    // Half of the first row is seen: a pixel more or less makes no other one the first.
    await page.evaluate(`${FRAME}.scrollTop += globalThis.seenOfFirst - 20`);
    await settled(visited);
    const before = await place();
    expect(before[0]).toBe(true);

    await tab('Outputs').click();
    await page.getByText('No outputs', { exact: false }).waitFor();
    await page.goBack();
    await untilHolds(async () => expect(await place()).toEqual(before));
    await settled(visited);
    expect(await place()).toEqual(before);
    await tab('Outputs').click();
    await page.getByText('No outputs', { exact: false }).waitFor();
    await tab('Instances').click();
    await untilHolds(async () => expect(await place()).toEqual(before));
    expect(visited.complaints).toEqual([]);
  });

  it('refresh in the background without moving what is read, or taking the focus', async () => {
    const own = await visit(browser, backend.url);
    await own.context.addCookies(await visited.context.cookies());
    await own.page.clock.install();
    const eyed = (): Promise<[string, number]> => own.page.evaluate<[string, number]>(UNDER_THE_EYE);
    /** Comes back to the window after answers have become old, until the list has a row that was not there. */
    const comeBack = async (name: string, before: number): Promise<void> => {
      await own.page.clock.fastForward(15_000);
      await own.page.evaluate(turnTo('hidden'));
      await own.page.evaluate(turnTo('visible'));
      const table = own.page.getByRole('table', { name });
      await untilHolds(async () =>
        expect(Number(await table.getAttribute('aria-rowcount'))).toBeGreaterThan(before),
      );
      await settled(own);
    };

    await own.page.goto(`/states/${stateId}/instances`);
    const frame = own.page.getByRole('group', { name: 'Instances, scrollable' });
    const ownLink = (index: number): Locator =>
      own.page.getByRole('link', { name: `test_thing.${nameOf(index)}`, exact: true });
    await scrollUntil(frame, ownLink(INSTANCES - 1));
    await settled(own);
    await own.page.evaluate(`${FRAME}.scrollTop = ${FRAME}.scrollHeight / 2`);
    await ownLink(INSTANCES / 2 + 3).waitFor();
    await ownLink(INSTANCES / 2 + 3).focus();
    await settled(own);
    const before = await eyed();
    expect(before[0]).toMatch(/^test_thing\.n0[56]/);
    // More rows above than are drawn beyond the window.
    const added = Array.from({ length: 60 }, (_, index) => `a${String(index).padStart(3, '0')}`);
    await writer.write([...added, ...instances].map((name) => ({ type: 'test_thing', name })));
    await comeBack('Instances', INSTANCES + 1);
    await untilHolds(async () => {
      const [name, edge] = await eyed();
      expect([name, Math.abs(edge - before[1]) < 2]).toEqual([before[0], true]);
    });
    expect(await own.page.evaluate<string>('document.activeElement?.textContent')).toBe(
      `test_thing.${nameOf(INSTANCES / 2 + 3)}`,
    );
    // At the top, what is new is shown.
    await own.page.evaluate(`${FRAME}.scrollTop = 0`);
    await own.page.getByRole('link', { name: 'test_thing.a000', exact: true }).waitFor();
    // The row that has the focus is kept, however far one scrolls.
    expect(await own.page.evaluate<string>('document.activeElement?.textContent')).toBe(
      `test_thing.${nameOf(INSTANCES / 2 + 3)}`,
    );

    const note = (count: number): Promise<unknown> =>
      Promise.all(Array.from({ length: count }, () => backend.aState()));
    await note(70);
    await own.page.goto(`/tenants/${backend.tenantId}/audit`);
    const entries = own.page.getByRole('table', { name: 'Audit' });
    await entries.getByText('state.create').first().waitFor();
    await settled(own);
    const shown = Number(await entries.getAttribute('aria-rowcount'));
    const eye = entries.locator('tbody tr[data-index="30"]');
    await own.page.evaluate(`document.querySelector('[aria-label="Audit, scrollable"]').scrollTop = 1200`);
    await eye.waitFor();
    await settled(own);
    const text = await eye.getByRole('link').innerText();
    const top = (await eye.boundingBox())?.y;
    await note(25);
    await comeBack('Audit', shown);
    const moved = entries.locator('tbody tr[data-index="55"]');
    expect(await moved.getByRole('link').innerText()).toBe(text);
    expect(Math.abs(((await moved.boundingBox())?.y ?? 0) - (top ?? 0))).toBeLessThan(2);
    expect(own.complaints).toEqual([]);
    await own.context.close();
  });

  it('ask the service at most once in two seconds for what happens, and never while nobody looks', async () => {
    const txId = await new TransactionClient(backend).create();
    const own = await visit(browser, backend.url);
    await own.context.addCookies(await visited.context.cookies());
    await own.page.clock.install();
    let asked = 0;
    own.page.on('request', (request) => (asked += request.url().includes('/api/v1/') ? 1 : 0));
    /** Requests while the clock of the page goes on by some seconds, and by how many it went. */
    const within = async (seconds: number): Promise<{ requests: number; passed: number }> => {
      await settled(own);
      const begun = await own.page.evaluate<number>('Date.now()');
      asked = 0;
      for (let step = 0; step < seconds; step += 1) {
        await own.page.clock.runFor(1_000);
        await untilHolds(async () => expect(own.pending()).toBe(0));
      }
      return { requests: asked, passed: ((await own.page.evaluate<number>('Date.now()')) - begun) / 1_000 };
    };
    for (const path of ['', '/output', '/log', '/conflicts']) {
      await own.page.goto(`/transactions/${txId}${path}`);
      const { requests, passed } = await within(12);
      expect(requests).toBeGreaterThan(0);
      // What goes together counts as one more.
      expect(requests).toBeLessThanOrEqual(passed / 2 + 2);
    }
    await own.page.evaluate(turnTo('hidden'));
    expect((await within(30)).requests).toBe(0);
    await own.page.evaluate(turnTo('visible'));
    await untilHolds(async () => expect(asked).toBeGreaterThan(0));
    expect(own.complaints).toEqual([]);
    await own.context.close();
  });

  it('ask at most eight times for the dashboard, and for nothing twice', async () => {
    const own = await visit(browser, backend.url);
    await own.context.addCookies(await visited.context.cookies());
    const asked: string[] = [];
    own.page.on('request', (request) => {
      if (request.url().includes('/api/v1/')) asked.push(`${request.method()} ${request.url()}`);
    });
    await own.page.goto(`/tenants/${backend.tenantId}`);
    await own.page.getByRole('table', { name: 'Recent transactions' }).waitFor();
    await settled(own);
    expect(asked).toHaveLength(new Set(asked).size);
    expect(asked.length).toBeLessThanOrEqual(8);
    await own.context.close();
  });

  it('keep queries and favourites in this browser', async () => {
    const own = await visit(browser, backend.url);
    await own.context.addCookies(await visited.context.cookies());
    await own.page.goto('/sql');
    const editor = own.page.getByRole('textbox', { name: 'Query' });
    const history = own.page.getByRole('list', { name: 'History' }).getByRole('listitem');
    const shows = (queries: string[]): Promise<void> =>
      untilHolds(async () =>
        expect((await history.allInnerTexts()).map((text) => text.replace(/\s*★$/, ''))).toEqual(queries),
      );
    const [first, second] = ['SELECT name FROM states', 'SELECT name, serial FROM states'] as const;
    for (const query of [first, second]) {
      await editor.fill(query);
      await own.page.getByRole('button', { name: 'Run' }).click();
      await own.page.waitForURL((url) => url.searchParams.get('q') === query);
    }
    await shows([second, first]);
    await own.page.getByRole('button', { name: `Favourite: ${first}` }).click();
    await own.page.reload();
    await shows([first, second]);
    await own.page.getByRole('button', { name: `Favourite: ${first}`, pressed: true }).waitFor();
    await own.page.getByRole('button', { name: 'Clear history' }).click();
    await shows([first]);
    await history.getByRole('button', { name: first, exact: true }).click();
    await untilHolds(async () => expect(await editor.innerText()).toBe(first));
    expect(own.complaints).toEqual([]);
    await own.context.close();
  });

  it('move nothing for people who ask for less motion', async () => {
    const longest = async (reducedMotion: 'reduce' | 'no-preference'): Promise<number> => {
      const own = await visit(browser, backend.url);
      await own.context.addCookies(await visited.context.cookies());
      await own.page.emulateMedia({ reducedMotion });
      await own.page.addInitScript(WATCH_MOTION);
      await own.page.goto(`/tenants/${backend.tenantId}/states`);
      await own.page.getByRole('button', { name: 'New state' }).click();
      await own.page.getByRole('dialog').getByLabel('Name').waitFor();
      await own.page.getByRole('dialog').getByRole('button', { name: 'Cancel' }).click();
      await own.page.getByRole('dialog').waitFor({ state: 'detached' });
      await own.page.getByRole('button', { name: 'Account: ' }).click();
      await own.page.getByRole('menuitem', { name: 'Sign out' }).waitFor();
      await untilTrue(own.page, `document.getAnimations().every(({ playState }) => playState !== 'pending')`);
      const found = await own.page.evaluate<number>('globalThis.longestMotion');
      await own.context.close();
      return found;
    };
    expect(await longest('no-preference')).toBeGreaterThan(50);
    expect(await longest('reduce')).toBeLessThan(1);
  });
});
