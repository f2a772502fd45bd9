import type { Browser, Page } from 'playwright-core';
import {
  EVERY_SCREEN,
  seriousFindings,
  settled,
  sidewaysPixels,
  signInBy,
  startBrowser,
  untilHolds,
  visit,
} from '../support/browser.js';
import { EstateWriter, eventually, type EstateResource } from '../support/estate.js';
import { aBackend, type TestBackend } from '../support/backend.js';
import { type RunningService, startService } from '../support/service.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(180_000);

const PASSWORD = 'a long password of hers';
const HOSTILE = '<img src=x onerror="document.title=1">';
const APPLIES = { a: 'bucket', op: 'notempty' };
const ESTATE: EstateResource[] = [
  {
    type: 'aws_s3_bucket_public_access_block',
    name: 'logs',
    attributes: { id: 'logs', bucket: 'logs', block_public_acls: false },
  },
  { type: 'aws_s3_bucket', name: 'site', attributes: { id: 'site', bucket: 'site', acl: 'public-read' } },
];

describeWith('chromium', 'Security in the browser', () => {
  let backend: TestBackend;
  let worker: RunningService;
  let browser: Browser;
  let stateId: string;
  let txId: string;
  let email: string;

  beforeAll(async () => {
    backend = await aBackend();
    worker = await startService({ role: 'worker', database: backend.service.database });
    browser = await startBrowser();
    const state = await backend.aState({ name: 'storage' });
    const writer = new EstateWriter(backend, state);
    stateId = state.id;
    await writer.write(ESTATE);
    await eventually('scan', async () => {
      const answer = await backend.api('GET', `/states/${stateId}/security/findings`);
      return (answer.json() as { total_count: number }).total_count > 0 ? true : undefined;
    });
    const { rows } = await backend.service.pool.query<{ tx_id: string }>(
      'SELECT tx_id FROM state_versions WHERE state_id = $1',
      [stateId],
    );
    txId = rows[0]?.tx_id ?? '';
    email = `administrator-${stateId}@example.com`;
    const made = await backend.api('POST', '/users', {
      key: backend.session,
      body: { name: 'Ada', email, password: PASSWORD },
    });
    const { id } = made.json() as { id: string };
    const path = `/tenants/${backend.tenantId}/members`;
    await backend.api('POST', path, { key: backend.session, body: { user_id: id } });
    const role = await backend.api('POST', `${path}/set-role?user_id=${id}`, {
      key: backend.session,
      body: { tenant_admin: true },
    });
    expect(role.status).toBe(200);
  });
  afterAll(async () => {
    await browser.close();
    await worker.stop();
    await backend.stop();
  });

  const open = async (path: string, options: Parameters<typeof visit>[2] = {}) => {
    const visited = await visit(browser, backend.url, options);
    await visited.page.goto(path);
    await signInBy(visited.page, { email, password: PASSWORD });
    return visited;
  };
  const table = (page: Page, name: string) => page.getByRole('table', { name, exact: true });

  it('shows the findings of a state, their details, and waives one', async () => {
    const { page, complaints } = await open(`/states/${stateId}/security`);
    await page.getByRole('heading', { level: 1, name: 'storage' }).waitFor();
    const findings = table(page, 'Findings');
    await findings.getByText('AWS-S3-001').waitFor();
    await untilHolds(async () =>
      expect(await page.title()).toBe('Security · storage · Infrastructure State Service'),
    );
    await page.getByLabel('Check', { exact: true }).fill('CKV_AWS_53');
    await page.waitForURL(/check_id=CKV_AWS_53/);
    await findings.getByText('AWS-S3-001').click();
    const panel = page.getByRole('dialog', { name: /^AWS-S3-001/ });
    await panel.getByRole('region', { name: 'Remediation' }).waitFor();
    await panel.getByText('CKV_AWS_53').waitFor();
    await panel.getByRole('button', { name: 'Waive' }).click();
    const dialog = page.getByRole('dialog', { name: 'Waive finding' });
    await dialog.getByLabel('Reason').fill(HOSTILE);
    await dialog.getByRole('button', { name: 'Waive finding' }).click();
    await page.getByText('No finding matches these filters.').waitFor();
    await page.getByLabel('Status').selectOption('suppressed');
    await findings.getByText('AWS-S3-001').waitFor();
    expect(complaints).toEqual([]);
  });

  it('shows what the tenant has: top checks, exposed resources, waivers and history', async () => {
    const { page, complaints } = await open(`/tenants/${backend.tenantId}/security?reachable=true`);
    await page.getByRole('heading', { level: 1, name: 'Security' }).waitFor();
    await table(page, 'Findings').getByText('aws_s3_bucket.site').first().waitFor();
    await table(page, 'Exposed resources').getByText('aws_s3_bucket.site').waitFor();
    await table(page, 'Top checks').getByRole('link').first().waitFor();
    await untilHolds(async () => expect(await table(page, 'History').getByRole('row').count()).toBe(31));
    const waivers = table(page, 'Waivers');
    await waivers.getByText(HOSTILE).waitFor();
    await waivers.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete waiver' }).click();
    await page.getByText('No waivers.').waitFor();
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Security' }).waitFor();
    expect(complaints).toEqual([]);
  });

  it('lists the checks, writes one of the tenant, changes it and deletes it', async () => {
    const { page, complaints } = await open(`/tenants/${backend.tenantId}/security`);
    await page.getByRole('link', { name: 'Checks', exact: true }).click();
    await page.getByRole('heading', { level: 1, name: 'Security checks' }).waitFor();
    const checks = table(page, 'Checks');
    await page.getByLabel('Search checks').fill('CKV_AWS_53');
    await checks.getByText('AWS-S3-001').waitFor();
    await page.getByRole('button', { name: 'New check' }).click();
    const dialog = page.getByRole('dialog', { name: 'New check' });
    await dialog.getByLabel('Id').fill('CUSTOM-OWNER');
    await dialog.getByLabel('Title').fill(HOSTILE);
    await dialog.getByLabel('Resource types').fill('aws_s3_bucket');
    await dialog.getByLabel('Category').selectOption('identity');
    await dialog.getByLabel('Applies where').fill(JSON.stringify(APPLIES));
    await dialog.getByLabel('Condition').fill('{"a": "tags.Owner", "op": "odd"}');
    await dialog.getByRole('button', { name: 'Save check' }).click();
    await dialog.getByText(/fail\.op must be one of/).waitFor();
    await dialog.getByLabel('Condition').fill('{"a": "tags.Owner", "op": "empty"}');
    await dialog.getByRole('button', { name: 'Save check' }).click();
    await dialog.waitFor({ state: 'detached' });
    await page.getByLabel('Search checks').fill('');
    await page.getByLabel('Provider').selectOption('custom');
    await checks.getByText(HOSTILE).waitFor();
    await checks.getByRole('button', { name: 'Edit' }).click();
    const editor = page.getByRole('dialog', { name: 'Edit check' });
    const valueOf = (label: string): Promise<string> => editor.getByLabel(label).inputValue();
    await untilHolds(async () => {
      expect(await valueOf('Id')).toBe('CUSTOM-OWNER');
      expect(await valueOf('Title')).toBe(HOSTILE);
      expect(await valueOf('Category')).toBe('identity');
      expect(await valueOf('Resource types')).toBe('aws_s3_bucket');
      expect(JSON.parse(await valueOf('Applies where'))).toEqual(APPLIES);
      expect(JSON.parse(await valueOf('Condition'))).toEqual({ a: 'tags.Owner', op: 'empty' });
    });
    await editor.getByLabel('Severity').selectOption('low');
    await editor.getByRole('button', { name: 'Save check' }).click();
    await editor.waitFor({ state: 'detached' });
    await checks.getByText('low').waitFor();
    // What the form was not used to change is kept.
    const catalogue = await backend.api('GET', `/security/checks?tenant_id=${backend.tenantId}`);
    const { checks: known } = catalogue.json() as { checks: { check_id: string }[] };
    expect(known.find(({ check_id: id }) => id === 'CUSTOM-OWNER')).toMatchObject({
      title: HOSTILE,
      severity: 'low',
      category: 'identity',
      resource_types: ['aws_s3_bucket'],
      when: APPLIES,
      fail: { a: 'tags.Owner', op: 'empty' },
    });
    await checks.getByRole('button', { name: 'Delete' }).click();
    await page.getByRole('dialog').getByRole('button', { name: 'Delete check' }).click();
    await page.getByText('No check matches these filters.').waitFor();
    // The refused condition is the one answer that is no success.
    expect(complaints.filter((complaint) => !complaint.includes('400'))).toEqual([]);
  });

  it('shows what a transaction added', async () => {
    const { page, complaints } = await open(`/transactions/${txId}/security`);
    await table(page, 'Added').getByText('aws_s3_bucket_public_access_block.logs').first().waitFor();
    await page.getByText('Nothing is resolved.').waitFor();
    expect(complaints).toEqual([]);
  });

  it.each(EVERY_SCREEN)('can be used by everybody, %s and %i pixels wide', async (colorScheme, width) => {
    const visited = await open(`/tenants/${backend.tenantId}/security`, { colorScheme, width });
    const { page, complaints } = visited;
    await table(page, 'History').waitFor();
    await settled(visited);
    expect([await seriousFindings(page), await sidewaysPixels(page)]).toEqual([[], 0]);
    for (const path of [
      `/states/${stateId}/security`,
      `/transactions/${txId}/security`,
      `/tenants/${backend.tenantId}/security/checks`,
    ]) {
      await page.goto(path);
      await page.getByRole('table').first().waitFor();
      await settled(visited);
      expect([path, await seriousFindings(page), await sidewaysPixels(page)]).toEqual([path, [], 0]);
    }
    expect(complaints).toEqual([]);
  });
});
