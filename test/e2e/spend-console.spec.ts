import type { Browser, Page } from 'playwright-core';
import { aBackend } from '../support/backend.js';
import { aLine, BillingEstate, focusCsv } from '../support/billing.js';
import { seriousFindings, sidewaysPixels, signInBy, startBrowser, visit } from '../support/browser.js';
import { aServer, costsOf } from '../support/costs.js';
import { EstateWriter } from '../support/estate.js';
import { describeWith } from '../support/terraform.js';
import { TransactionClient } from '../support/transactions.js';

jest.setTimeout(180_000);

const ADMIN = { email: 'admin@example.test', password: 'correct horse battery' };

describeWith('chromium', 'Spend in the browser', () => {
  let estate: BillingEstate;
  let browser: Browser;
  let stateId: string;
  let tenantId: string;
  let address: string;
  beforeAll(async () => {
    estate = await BillingEstate.create((env) => aBackend({ env }));
    const { backend } = estate;
    tenantId = backend.tenantId;
    const writer = new EstateWriter(backend, await backend.aState({ name: 'network' }));
    stateId = writer.state.id;
    await writer.write([aServer('web')]);
    await costsOf(backend, stateId, () => true);
    const web = 'arn:aws:ec2:us-east-1:123456789012:instance/i-web';
    address = await estate.folder.write(
      'month.csv',
      focusCsv([
        aLine({ ResourceId: web, BilledCost: '3.5' }),
        aLine({ ResourceId: 'vol-0123456789abcdef0', BilledCost: '1.25', ServiceName: 'Disks' }),
        aLine({ ResourceId: '', BilledCost: '0.25', ChargeCategory: 'Tax' }),
        aLine({ ResourceId: 'vol-0fedcba9876543210', BilledCost: '9', BillingCurrency: 'EUR' }),
      ]),
    );
    browser = await startBrowser();
  }, 180_000);
  afterAll(async () => {
    await browser?.close();
    await estate?.stop();
  });

  async function signedIn(path: string, how: { colorScheme?: 'light' | 'dark' } = {}) {
    const visited = await visit(browser, estate.backend.url, how);
    await visited.page.goto(path);
    await signInBy(visited.page, ADMIN);
    return visited;
  }

  /** Of the list of facts: the text that stands beside a name. */
  const fact = (page: Page, name: string, text: string | RegExp) =>
    page.locator('dl').getByText(name, { exact: true }).locator('..').getByText(text).waitFor();

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
    await page.setViewportSize({ width: 360, height: 800 });
    expect(await sidewaysPixels(page)).toBe(0);
    // The refused address is a failed request that the browser reports as well.
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
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
    expect(await page.title()).toMatch(/^Cost/);
    expect(await seriousFindings(page)).toEqual([]);
    expect(complaints).toEqual([]);
  });
});
