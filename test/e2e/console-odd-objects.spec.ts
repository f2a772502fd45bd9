import type { Browser, Page } from 'playwright-core';
import {
  follow,
  settled,
  sidewaysPixels,
  signInBy,
  startBrowser,
  untilHolds,
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
import { describeWith } from '../support/terraform.js';

jest.setTimeout(600_000);

const STATE_PAGES = [
  '',
  '/instances',
  '/modules',
  '/outputs',
  '/versions',
  '/submissions',
  '/graph',
  '/connect',
];

describeWith('chromium', 'Odd objects and bad input in the console', () => {
  let service: ConsoleService;
  let estate: ConsoleEstate;
  let browser: Browser;
  let visitor: Visit;
  let page: Page;
  let tenantId: string;
  let stateId: string;

  beforeAll(async () => {
    service = await startConsole();
    estate = await aConsoleEstate(service, 'alpha');
    ({ tenantId = '', stateId = '' } = estate.parameters);
    browser = await startBrowser();
    // The narrowest window: what fits there fits everywhere.
    visitor = await visit(browser, service.backend.url, { width: 360 });
    ({ page } = visitor);
    await page.goto('/settings');
    await signInBy(page, ADMINISTRATOR);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });
  beforeEach(async () => {
    await visitor.context.unrouteAll();
    visitor.complaints.length = 0;
  });

  const opened = async (address: string) => {
    await page.goto(`/states/${estate.states.large}/instances?instance=${encodeURIComponent(address)}`);
    const dialog = page.getByRole('dialog');
    await dialog.getByText('Attributes').waitFor();
    return dialog;
  };

  it('shows an instance with 2,000 attributes some at a time', async () => {
    const dialog = await opened('module.part["0"].test_thing.many');
    await dialog.getByText('attribute_99', { exact: true }).waitFor();
    expect(await dialog.getByText('attribute_100', { exact: true }).count()).toBe(0);
    await dialog.getByRole('button', { name: 'Show more (1900)' }).click();
    await dialog.getByText('attribute_399', { exact: true }).waitFor();
    await dialog.getByRole('button', { name: 'Show more (1600)' }).click();
    await dialog.getByRole('button', { name: 'Show more (400)' }).click();
    await dialog.getByText('attribute_1999', { exact: true }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  it('cuts a value of 1 MB, and shows all of it when asked', async () => {
    const dialog = await opened('test_thing.huge');
    expect((await dialog.innerText()).length).toBeLessThan(10_000);
    await dialog.getByRole('button', { name: 'Show all 1000000 characters' }).click();
    await untilHolds(async () => expect((await dialog.innerText()).length).toBeGreaterThan(1_000_000));
    expect(await sidewaysPixels(page)).toBe(0);
  });

  it('has room for a name of 255 wide characters, and for text that is read from the right', async () => {
    const name = '漢'.repeat(255);
    const dialog = await opened(`test_thing.${name}`);
    await dialog.getByText('مرحبا').waitFor();
    await dialog.getByText('שלום').waitFor();
    expect(await sidewaysPixels(page)).toBe(0);
    await page.goto(`/states/${estate.states.large}/instances?q=${encodeURIComponent('漢漢')}`);
    await page.getByRole('link', { name: `test_thing.${name}` }).waitFor();
    expect(await sidewaysPixels(page)).toBe(0);
    expect(visitor.complaints).toEqual([]);
  });

  it.each(['broken', 'legacy', 'encrypted', 'empty'] as const)(
    'has every page of a state that is %s',
    async (kind) => {
      const faults: string[] = [];
      for (const path of STATE_PAGES) {
        await follow(visitor, `/states/${estate.states[kind]}${path}`);
        await settled(visitor);
        const text = (await page.locator('main').innerText()).trim();
        if ((await page.locator('h1').innerText()) !== `alpha ${kind}`)
          faults.push(`${path} lost its heading`);
        if ((await page.getByRole('alert').count()) > 0 && path !== '')
          faults.push(`${path} shows ${(await page.getByRole('alert').allInnerTexts()).join()}`);
        if (/undefined|NaN|\[object/.test(text)) faults.push(`${path} shows ${text.slice(0, 300)}`);
        const sideways = await sidewaysPixels(page);
        if (sideways > 0) faults.push(`${path} is ${sideways} pixels wider than its window`);
      }
      expect([...faults, ...visitor.complaints]).toEqual([]);
      await page.goto(`/states/${estate.states[kind]}`);
      const words = kind === 'empty' ? 'Nothing was written yet' : 'This document has no graph';
      await page.getByText(words, { exact: true }).waitFor();
    },
  );

  it('says beside the field what is wrong, and keeps what was typed', async () => {
    await page.goto(`/tenants/${tenantId}/states`);
    await page.getByRole('button', { name: 'New state' }).click();
    const dialog = page.getByRole('dialog', { name: 'New state' });
    const name = 'n'.repeat(2_000);
    await dialog.getByLabel('Name').fill(name);
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText(/name must/).waitFor();
    expect(await dialog.getByLabel('Name').inputValue()).toBe(name);
    await dialog.getByRole('button', { name: 'Cancel' }).click();

    await page.goto(`/states/${stateId}/instances?q=${encodeURIComponent('nonsense:x')}`);
    const alert = page.getByRole('alert').first();
    await alert.waitFor();
    expect(await alert.innerText()).not.toMatch(/[{}]/);
    expect(await page.getByRole('combobox', { name: 'Filter' }).inputValue()).toBe('nonsense:x');
  });

  it('keeps the failure of one card to that card', async () => {
    await visitor.context.route(/\/tenants\/[^/]+\/summary/, (route) =>
      route.fulfill({ status: 200, contentType: 'application/json', body: '{"counts": 7}' }),
    );
    await page.goto(`/tenants/${tenantId}`);
    await page.getByRole('region', { name: 'Estate' }).getByText('This part cannot be shown').waitFor();
    await page.getByRole('table', { name: 'Recent transactions' }).waitFor();
    await page.getByRole('region', { name: 'Held locks' }).getByText('alpha application').waitFor();
    await visitor.context.unrouteAll();
    // What could not be shown is asked for again.
    await page.getByRole('region', { name: 'Estate' }).getByRole('button', { name: 'Try again' }).click();
    await page.getByRole('region', { name: 'Estate' }).getByRole('link').first().waitFor();
  });

  it('shows a key once, and keeps it nowhere', async () => {
    await page.goto('/keys');
    await page.getByRole('button', { name: 'New API key' }).click();
    await page.getByRole('dialog').getByLabel('Name').fill('once');
    await page.getByRole('dialog').getByRole('button', { name: 'Create' }).click();
    const key = await page.getByLabel('API key', { exact: true }).inputValue();
    expect(key.length).toBeGreaterThan(20);
    await page.getByRole('button', { name: 'Done' }).click();
    // Its end is animated.
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await page.getByRole('table', { name: 'API keys' }).getByText('once').waitFor();
    const kept = await page.evaluate<string>(
      'JSON.stringify([{ ...localStorage }, { ...sessionStorage }, document.cookie, document.title, location.href, history.state])',
    );
    expect(kept).not.toContain(key);
    expect(await page.content()).not.toContain(key);
    await page.reload();
    await page.getByRole('table', { name: 'API keys' }).getByText('once').waitFor();
    expect(await page.content()).not.toContain(key);
  });

  it('tells times by the clock of the service when the one of the browser is wrong by a day', async () => {
    const { page: late } = await visit(browser, service.backend.url);
    await late.clock.setFixedTime(Date.now() + 86_400_000);
    await late.goto('/keys');
    await signInBy(late, ADMINISTRATOR);
    const table = late.getByRole('table', { name: 'API keys' });
    await table.getByText('key of alpha').waitFor();
    await table
      .getByText(/^now$|seconds? ago|minutes? ago/)
      .first()
      .waitFor();
    expect(await table.innerText()).not.toMatch(/day|yesterday|tomorrow|hour/);
  });
});
