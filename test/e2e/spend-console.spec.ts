import { readFileSync } from 'node:fs';
import type { Browser, Page } from 'playwright-core';
import { aBackend } from '../support/backend.js';
import { aLine, BillingEstate, focusCsv } from '../support/billing.js';
import {
  seriousFindings,
  sidewaysPixels,
  signInBy,
  startBrowser,
  untilHolds,
  visit,
} from '../support/browser.js';
import { aServer, costsOf } from '../support/costs.js';
import { EstateWriter, eventually } from '../support/estate.js';
import { describeWith } from '../support/terraform.js';
import { TransactionClient } from '../support/transactions.js';

jest.setTimeout(180_000);

const DAY = `${new Date().toISOString().slice(0, 7)}-01`;
/** Three lines of one currency, one of each part, and one of another currency. */
const BILL = focusCsv([
  aLine({ ResourceId: 'arn:aws:ec2:us-east-1:123456789012:instance/i-web', BilledCost: '3.5' }),
  aLine({ ResourceId: 'vol-0123456789abcdef0', BilledCost: '1.25', ServiceName: 'Disks' }),
  aLine({ ResourceId: '', BilledCost: '0.25', ChargeCategory: 'Tax' }),
  aLine({ ResourceId: 'vol-0fedcba9876543210', BilledCost: '9', BillingCurrency: 'EUR' }),
]);
const ADMIN = { email: 'admin@example.test', password: 'correct horse battery' };

describeWith('chromium', 'Spend in the browser', () => {
  let estate: BillingEstate;
  let browser: Browser;
  let stateId: string;
  let tenantId: string;
  let address: string;
  /** A tenant whose bill is loaded, and a state of it. */
  let billed: { tenantId: string; stateId: string };
  beforeAll(async () => {
    estate = await BillingEstate.create((env) => aBackend({ env }));
    const { backend } = estate;
    tenantId = backend.tenantId;
    const writer = new EstateWriter(backend, await backend.aState({ name: 'network' }));
    stateId = writer.state.id;
    await writer.write([aServer('web')]);
    await costsOf(backend, stateId, () => true);
    address = await estate.folder.write('month.csv', BILL);
    billed = await aBilledTenant();
    browser = await startBrowser();
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await estate?.stop();
  });

  async function aBilledTenant(): Promise<{ tenantId: string; stateId: string }> {
    const tenant = await estate.backend.aTenant();
    const state = await estate.backend.aState({ tenant_id: tenant });
    await new EstateWriter(estate.backend, state).write([aServer('web'), aServer('idle')]);
    await costsOf(estate.backend, state.id, ({ resource_count: count }) => count === 2);
    const { id } = await estate.aSource(tenant, await estate.folder.write('billed.csv', BILL));
    await estate.sync(tenant, id);
    await eventually('the match', async () => {
      const path = `/states/${state.id}/costs/actuals`;
      return (await estate.api<{ line_count: number }>('GET', path)).line_count > 0 ? true : undefined;
    });
    return { tenantId: tenant, stateId: state.id };
  }

  async function signedIn(path: string, how: { colorScheme?: 'light' | 'dark' } = {}) {
    const visited = await visit(browser, estate.backend.url, how);
    await visited.page.goto(path);
    await signInBy(visited.page, ADMIN);
    return visited;
  }

  /** Of the list of facts: the text that stands beside a name. */
  const fact = (page: Page, name: string, text: string | RegExp) =>
    page.locator('dl').getByText(name, { exact: true }).locator('..').getByText(text).waitFor();

  /** On a phone nothing stands beyond the edge, once the page has been laid out anew. */
  async function expectNarrow(page: Page): Promise<void> {
    await page.setViewportSize({ width: 360, height: 800 });
    await eventually('a page as wide as its window', async () =>
      (await sidewaysPixels(page)) === 0 ? true : undefined,
    );
  }

  it('adds a billing source, syncs it, and shows which one failed and why', async () => {
    const { page, complaints } = await signedIn(`/tenants/${tenantId}/billing-sources`);
    await page.getByRole('heading', { level: 1, name: 'Billing sources' }).waitFor();
    await page.getByText('No billing sources yet.').waitFor();
    await page.getByRole('button', { name: 'New billing source' }).click();
    const dialog = page.getByRole('dialog', { name: 'New billing source' });
    await dialog.getByLabel('Address').fill('http://example.com/bills');
    await dialog.getByRole('button', { name: 'Create' }).click();
    await dialog.getByText('source_uri').first().waitFor();
    await dialog.getByLabel('Address').fill(address);
    await dialog.getByLabel('Sync every day').uncheck();
    await dialog.getByRole('button', { name: 'Create' }).click();
    const table = page.getByRole('table', { name: 'Billing sources' });
    const row = table.getByRole('row').filter({ hasText: address });
    await row.getByText('Not synced (by hand only)').waitFor();
    // By keyboard, as everything on the page.
    await row.getByRole('button', { name: 'Sync' }).focus();
    await page.keyboard.press('Enter');
    await row.getByText('Loaded').waitFor({ timeout: 60_000 });
    await row.getByRole('cell', { name: '4', exact: true }).waitFor();
    expect(await seriousFindings(page)).toEqual([]);

    const missing = await estate.folder.write('broken.csv', 'a,b\n1,2\n');
    const { id } = await estate.aSource(tenantId, missing);
    await estate.sync(tenantId, id);
    await page.reload();
    const broken = table.getByRole('row').filter({ hasText: 'broken.csv' });
    await broken.getByText('Failed').waitFor();
    await broken.getByText('broken.csv: the file has no column BilledCost').waitFor();
    await broken.getByRole('button', { name: 'Delete' }).click();
    const removal = page.getByRole('dialog', { name: 'Delete billing source' });
    await removal.getByRole('button', { name: 'Delete billing source' }).click();
    await broken.waitFor({ state: 'detached' });
    await expectNarrow(page);
    // The refused address is a failed request that the browser reports as well.
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
  });

  it.each(['light', 'dark'] as const)(
    'shows what was billed, what caused it, and what no state holds, %s',
    async (colorScheme) => {
      const { page, complaints } = await signedIn(`/tenants/${billed.tenantId}/spend`, { colorScheme });
      await page.getByRole('heading', { level: 1, name: 'Spend' }).waitFor();
      await untilHolds(async () => expect(await page.title()).toMatch(/^Spend/));
      await fact(page, 'Total', '5.00 USD (3 lines)');
      await fact(page, 'Attributed to instances', '3.50 USD (1 line)');
      await fact(page, 'Unmanaged', '1.25 USD (1 line)');
      await fact(page, 'Without a resource', '0.25 USD (1 line)');
      await fact(page, 'Explained by states', '70 %');
      const provider = page
        .getByRole('table', { name: 'By provider' })
        .getByRole('row')
        .filter({ hasText: 'aws' });
      await untilHolds(async () =>
        expect(await provider.getByRole('cell').allInnerTexts()).toEqual([
          ...['aws', '5.00 USD', '3.50', '1.25', '0.25', '70 %'],
        ]),
      );
      const unmanaged = page.getByRole('table', { name: 'Unmanaged' });
      const rows = unmanaged.getByRole('row').filter({ hasText: 'vol-' });
      await untilHolds(async () =>
        expect(await rows.allInnerTexts()).toEqual([
          expect.stringMatching(/vol-0123456789abcdef0.*1\.25 USD.*aws.*Disks/s),
        ]),
      );
      expect(await seriousFindings(page)).toEqual([]);

      // By keyboard: the other currency is shown by itself, never added.
      await page.getByLabel('Currency').focus();
      await page.keyboard.type('EUR');
      await fact(page, 'Total', '9.00 EUR (1 line)');
      await unmanaged.getByText('vol-0fedcba9876543210').waitFor();
      await unmanaged.getByText('vol-0123456789abcdef0').waitFor({ state: 'detached' });
      expect(new URL(page.url()).searchParams.get('currency')).toBe('EUR');
      await expectNarrow(page);
      expect(complaints).toEqual([]);
    },
  );

  it('saves what no state holds for a spreadsheet', async () => {
    const { page, complaints } = await signedIn(`/tenants/${billed.tenantId}/spend`);
    const [download] = await Promise.all([
      page.waitForEvent('download'),
      page.getByRole('region', { name: 'Unmanaged' }).getByRole('button', { name: 'Download CSV' }).click(),
    ]);
    expect(download.suggestedFilename()).toBe('unmanaged.csv');
    expect(readFileSync(await download.path(), 'utf8')).toBe(
      'provider,resource_id,billed_cost,currency,line_count,service_name,resource_type,region_id\r\n' +
        'aws,vol-0123456789abcdef0,1.25,USD,1,Disks,,\r\n',
    );
    expect(complaints).toEqual([]);
  });

  it('sets the bill beside the estimate of each instance', async () => {
    const { page, complaints } = await signedIn(`/states/${billed.stateId}/costs`);
    const resources = page.getByRole('table', { name: 'Resources' });
    await resources.getByRole('columnheader', { name: /^Billed, / }).waitFor();
    const headers = await resources.getByRole('columnheader').allInnerTexts();
    const [estimated, spent] = ['Estimated, ', 'Billed, '].map((start) =>
      headers.findIndex((header) => header.startsWith(`${start}${DAY} to ${DAY}`)),
    );
    const cells = await resources
      .getByRole('row')
      .filter({ hasText: 'web' })
      .getByRole('cell')
      .allInnerTexts();
    // A day of 70.88 a month; what else costs in the state was not billed.
    expect([cells[estimated ?? -1], cells[spent ?? -1]]).toEqual(['2.33 USD', '3.50 USD']);
    const other = await resources
      .getByRole('row')
      .filter({ hasText: 'idle' })
      .getByRole('cell')
      .allInnerTexts();
    expect(other[spent ?? -1]).toBe('–');
    expect(complaints).toEqual([]);
  });

  it('says what to do while no bill is loaded', async () => {
    const { page, complaints } = await signedIn(`/tenants/${await estate.backend.aTenant()}/spend`);
    await page.getByText('No bill is loaded yet.').waitFor();
    expect(await page.getByRole('table').count()).toBe(0);
    await page.getByRole('link', { name: 'Billing sources' }).focus();
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { level: 1, name: 'Billing sources' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it.each(['light', 'dark'] as const)('shows what a plan would cost, %s', async (colorScheme) => {
    const client = new TransactionClient(estate.backend);
    const txId = await client.create();
    await client.append(txId, [{ action: 'refresh', object_type: 'refresh', state_id: stateId, data: {} }]);
    const { token } = await client.begin(txId, 'preview');
    const { type, name, attributes } = aServer('more');
    await client.report(token, {
      kind: 'preview',
      has_changes: true,
      plan: 'a plan',
      plan_json: {
        format_version: '1.2',
        resource_changes: [
          {
            address: `${type}.${name}`,
            mode: 'managed',
            type,
            name,
            provider_name: 'registry.terraform.io/hashicorp/aws',
            change: { actions: ['create'], before: null, after: attributes, after_unknown: {} },
          },
        ],
      },
    });
    const { page, complaints } = await signedIn(`/transactions/${txId}/costs`, { colorScheme });
    await fact(page, 'A month', '+70.88 USD');
    await fact(page, 'Planned', '141.76 USD');
    const row = page.getByRole('table', { name: 'Resources' }).getByRole('row').filter({ hasText: 'more' });
    await row.getByText('added').waitFor();
    await row.getByText('+70.88').waitFor();
    await page.getByRole('table', { name: 'By type' }).getByText('aws_instance').waitFor();
    await page.getByRole('table', { name: 'By tag team' }).getByText('core').waitFor();
    await untilHolds(async () => expect(await page.title()).toMatch(/^Cost/));
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
