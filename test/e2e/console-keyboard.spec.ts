import type { Browser, Locator, Page } from 'playwright-core';
import { settled, startBrowser, untilHolds, untilTrue, visit, type Visit } from '../support/browser.js';
import { estateDocument } from '../support/estate.js';
import { type RunningService, startService } from '../support/service.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(180_000);

const ADA = { name: 'Ada', email: 'ada@example.com', password: 'correct horse battery' };
/** More stops than any page has. */
const MOST_STOPS = 150;

/** In the page: whether one sees where the focus is. */
const SEES_FOCUS = `(() => {
  const element = document.activeElement;
  const style = getComputedStyle(element);
  const box = element.getBoundingClientRect();
  const isMarked = style.outlineStyle !== 'none' || style.boxShadow !== 'none' ||
    element.matches('input, textarea, select, [contenteditable="true"]');
  return isMarked && box.width > 0 && box.bottom > 0 && box.top < innerHeight;
})()`;

/** Everything is done with keys; the mouse and the address bar are used for nothing but the first address. */
describeWith('chromium', 'The console by the keyboard alone', () => {
  let service: RunningService;
  let browser: Browser;
  let visitor: Visit;
  let page: Page;

  beforeAll(async () => {
    service = await startService();
    browser = await startBrowser();
    visitor = await visit(browser, service.url);
    ({ page } = visitor);
  });
  afterAll(async () => {
    await browser?.close();
    await service?.stop();
  });

  const press = (keys: string): Promise<void> => page.keyboard.press(keys);
  const hasFocus = (target: Locator): Promise<boolean> =>
    target.evaluate((element) => element === element.ownerDocument.activeElement);

  /** The focus goes back a moment after what had it is closed. */
  const getsFocus = (target: Locator): Promise<void> =>
    untilHolds(async () => expect(await hasFocus(target)).toBe(true));
  const isIn = (role: string): Promise<void> =>
    untilTrue(page, `document.activeElement?.closest('[role=${role}]') !== null`);

  /** Presses Tab until the target has the focus; every stop on the way shows that it has it. */
  async function tabTo(target: Locator): Promise<void> {
    await target.waitFor();
    for (let stop = 0; stop < MOST_STOPS; stop += 1) {
      await press('Tab');
      if (!(await hasFocus(target))) continue;
      expect([await target.innerText(), await page.evaluate(SEES_FOCUS)]).toEqual([
        await target.innerText(),
        true,
      ]);
      return;
    }
    throw new Error(`no stop of the tabulator at ${String(target)}`);
  }
  async function type(label: string, text: string): Promise<void> {
    await tabTo(page.getByLabel(label, { exact: true }));
    await page.keyboard.type(text);
  }
  async function heading(name: string): Promise<void> {
    const found = page.getByRole('heading', { level: 1, name });
    await found.waitFor();
    // The focus goes along to the new page.
    await untilTrue(page, `document.activeElement === document.querySelector('h1')`);
  }
  /** By the search dialog, from anywhere. */
  async function search(text: string): Promise<void> {
    await press('Control+k');
    await page.getByRole('dialog').getByRole('option').first().waitFor();
    await isIn('dialog');
    await page.keyboard.type(text);
    await page.getByRole('option', { selected: true }).filter({ hasText: text }).waitFor();
    await press('Enter');
  }
  async function signOut(): Promise<void> {
    await tabTo(page.getByRole('button', { name: 'Account: Ada' }));
    await press('Enter');
    const item = page.getByRole('menuitem', { name: 'Sign out' });
    await item.waitFor();
    await isIn('menu');
    for (let step = 0; !(await hasFocus(item)); step += 1) {
      expect(step).toBeLessThan(10);
      await press('ArrowDown');
    }
    await press('Enter');
  }
  const tab = (name: string): Locator =>
    page.getByRole('navigation', { name: 'State', exact: true }).getByRole('link', { name });

  it('sets the service up, signs out and in again', async () => {
    await page.goto('/');
    await page.getByRole('heading', { level: 1, name: 'Set up' }).waitFor();
    await type('Name', ADA.name);
    await type('Email', ADA.email);
    await type('Password', ADA.password);
    await type('Organization', 'Example');
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
    await settled(visitor);

    await signOut();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    await type('Email', ADA.email);
    await type('Password', ADA.password);
    await press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Dashboard' }).waitFor();
  });

  it('skips what stands around a page', async () => {
    await page.reload();
    await settled(visitor);
    await press('Tab');
    await getsFocus(page.getByRole('link', { name: 'Skip to content' }));
    await press('Enter');
    await getsFocus(page.getByRole('main'));
  });

  it('creates a state, and closes a dialog without doing anything', async () => {
    await search('States');
    await heading('States');
    const button = page.getByRole('button', { name: 'New state' });
    await tabTo(button);
    await press('Enter');
    await page.getByRole('dialog', { name: 'New state' }).waitFor();
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await getsFocus(button);
    await press('Enter');
    const name = page.getByRole('dialog', { name: 'New state' }).getByLabel('Name');
    await name.waitFor();
    await getsFocus(name);
    await page.keyboard.type('first');
    await press('Enter');
    await page.waitForURL(/\/connect$/);
    await heading('first');
    await tabTo(
      page.getByRole('region', { name: 'Terraform and OpenTofu' }).getByRole('button', { name: 'Copy' }),
    );
    await press('Enter');
    await page.getByText('Copied', { exact: true }).first().waitFor();
  });

  it('finds and opens an instance, and comes back to where it was', async () => {
    await writeDocument();
    await tabTo(tab('Instances'));
    await press('Enter');
    await page.waitForURL(/\/instances$/);
    await page
      .getByRole('table', { name: 'Instances' })
      .getByRole('link', { name: 'aws_vpc.main' })
      .waitFor();
    await tabTo(page.getByRole('combobox', { name: 'Filter' }));
    await page.keyboard.type('aws_subnet');
    await page.getByRole('link', { name: 'aws_vpc.main' }).waitFor({ state: 'detached' });
    await press('Escape');
    const link = page
      .getByRole('table', { name: 'Instances' })
      .getByRole('link', { name: 'aws_subnet.main' });
    await tabTo(link);
    await press('Enter');
    const opened = page.getByRole('dialog', { name: 'aws_subnet.main' });
    await opened.getByRole('link', { name: 'aws_vpc.main' }).waitFor();
    await isIn('dialog');
    await press('Escape');
    await opened.waitFor({ state: 'detached' });
    await getsFocus(link);
  });

  it('shows dependencies in the graph by keyboard', async () => {
    await tabTo(tab('Graph'));
    await press('Enter');
    await page.getByRole('table', { name: 'Instances in view' }).waitFor();
    await type('Instance', 'aws_vpc.main');
    await press('Enter');
    await page.waitForURL(/address=aws_vpc\.main/);
    await tabTo(page.getByLabel('Depth'));
    await press('ArrowDown');
    await page.waitForURL(/depth=2/);
    await tabTo(page.getByRole('switch', { name: 'Blast radius' }));
    await press('Space');
    await page.waitForURL(/blast=true/);
    await page.getByText(/^Blast radius: \d instances? in 1 state\.$/).waitFor();
    const table = page.getByRole('table', { name: 'Instances in view' });
    await tabTo(
      table.getByRole('row', { name: /aws_subnet\.main/ }).getByRole('link', { name: 'Go on from here' }),
    );
    await press('Enter');
    await page.waitForURL(/address=aws_subnet\.main/);
  });

  it('writes a query, leaves the editor, and runs it', async () => {
    await search('SQL');
    await heading('SQL');
    const editor = page.getByRole('textbox', { name: 'Query' });
    await tabTo(editor);
    await page.keyboard.type('SELECT address FROM instances ORDER BY address ');
    await press('Escape');
    const run = page.getByRole('button', { name: 'Run' });
    await tabTo(run);
    await press('Enter');
    const results = page.getByRole('table', { name: 'Results' });
    await results.getByText('aws_vpc.main').waitFor();
    await getsFocus(run);
    // Sorting is a button in the head of the table.
    await tabTo(results.getByRole('button', { name: 'address' }));
    await press('Enter');
    await press('Enter');
    await results.getByRole('columnheader', { name: 'address' }).waitFor();
    await untilHolds(async () =>
      expect(await results.getByRole('cell').allInnerTexts()).toEqual(['aws_vpc.main', 'aws_subnet.main']),
    );
  });

  it('creates an API key that may do little, copies it, and revokes it', async () => {
    await search('API keys');
    await heading('API keys');
    const button = page.getByRole('button', { name: 'New API key' });
    await tabTo(button);
    await press('Enter');
    const dialog = page.getByRole('dialog', { name: 'New API key' });
    const name = dialog.getByLabel('Name');
    await name.waitFor();
    await getsFocus(name);
    await page.keyboard.type('laptop');
    // Radio buttons of one question are one stop, and arrows choose.
    await tabTo(dialog.getByRole('radio', { name: 'Everything that I may do' }));
    await press('ArrowDown');
    await getsFocus(dialog.getByRole('radio', { name: 'Only what is chosen here', checked: true }));
    await tabTo(dialog.getByRole('radio', { name: 'Everywhere' }));
    await press('ArrowDown');
    await dialog.getByRole('radio', { name: 'In these tenants', checked: true }).waitFor();
    await tabTo(dialog.getByRole('combobox', { name: 'Tenants' }));
    await page.keyboard.type('Exam');
    await page.getByRole('option', { name: 'Example' }).waitFor();
    await press('ArrowDown');
    await press('Enter');
    await tabTo(dialog.getByRole('checkbox', { name: 'Write and apply' }));
    await press('Space');
    await dialog.getByText('This key may write and apply in Example.').waitFor();
    await tabTo(dialog.getByRole('button', { name: 'Create' }));
    await press('Enter');

    const created = page.getByRole('dialog', { name: 'API key created' });
    await created.getByLabel('API key', { exact: true }).waitFor();
    await isIn('dialog');
    await tabTo(created.getByRole('button', { name: 'Copy' }));
    await press('Enter');
    await created.getByText('Copied', { exact: true }).waitFor();
    await tabTo(created.getByRole('button', { name: 'Done' }));
    await press('Enter');
    await created.waitFor({ state: 'detached' });
    await getsFocus(button);

    const row = page.getByRole('table', { name: 'API keys' }).getByRole('row', { name: /laptop/ });
    await tabTo(row.getByRole('button', { name: 'Revoke' }));
    await press('Enter');
    const question = page.getByRole('dialog', { name: 'Revoke API key' });
    await question.waitFor();
    await isIn('dialog');
    await tabTo(question.getByRole('button', { name: 'Revoke API key' }));
    await press('Enter');
    await question.waitFor({ state: 'detached' });
    await row.waitFor({ state: 'detached' });
    // The row that had the focus is gone.
    await getsFocus(page.getByRole('heading', { level: 1, name: 'API keys' }));
  });

  it('invites somebody, and takes the invitation back', async () => {
    await search('Members');
    await heading('Members');
    const button = page.getByRole('button', { name: 'Invite' });
    await tabTo(button);
    await press('Enter');
    const dialog = page.getByRole('dialog', { name: 'Invite' });
    const email = dialog.getByLabel('Email');
    await email.waitFor();
    await getsFocus(email);
    await page.keyboard.type('grace@example.com');
    await tabTo(dialog.getByRole('checkbox', { name: 'Administrator' }));
    await press('Space');
    await dialog.getByRole('checkbox', { name: 'Administrator', checked: true }).waitFor();
    await press('Enter');
    const link = page.getByLabel('Invitation link');
    await link.waitFor();
    await isIn('dialog');
    expect(await link.inputValue()).toMatch(/\/invitations\/accept\?token=/);
    await press('Escape');
    await page.getByRole('dialog').waitFor({ state: 'detached' });
    await getsFocus(button);

    await tabTo(page.getByRole('link', { name: 'Invitations' }));
    await press('Enter');
    await heading('Invitations');
    const row = page.getByRole('table', { name: 'Invitations' }).getByRole('row', { name: /grace/ });
    await tabTo(row.getByRole('button', { name: 'Revoke' }));
    await press('Enter');
    const question = page.getByRole('dialog', { name: 'Revoke invitation' });
    await question.waitFor();
    await tabTo(question.getByRole('button', { name: 'Revoke invitation' }));
    await press('Enter');
    await question.waitFor({ state: 'detached' });
    await row.getByText('revoked').waitFor();
  });

  it('signs out by keyboard', async () => {
    await signOut();
    await page.getByRole('heading', { level: 1, name: 'Sign in' }).waitFor();
    expect(visitor.complaints).toEqual([]);
  });

  /** What an apply would leave behind. */
  async function writeDocument(): Promise<void> {
    const address = /address\s+= "([^"]+)"/.exec(await page.locator('pre').first().innerText())?.[1] ?? '';
    const document = estateDocument([
      { type: 'aws_vpc', name: 'main', attributes: { id: 'vpc-1' }, dependencies: [] },
      { type: 'aws_subnet', name: 'main', attributes: { id: 'subnet-1' }, dependencies: ['aws_vpc.main'] },
    ]);
    const headers = { 'Content-Type': 'application/json', Origin: service.url };
    const answer = await page.request.post(address, { data: document, headers });
    expect(answer.status()).toBe(200);
  }
});
