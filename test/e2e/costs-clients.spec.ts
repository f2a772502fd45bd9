import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { aBackend, type TestBackend } from '../support/backend.js';
import {
  seriousFindings,
  sidewaysPixels,
  signInBy,
  startBrowser,
  untilHolds,
  visit,
} from '../support/browser.js';
import { CliHome } from '../support/cli.js';
import { aServer, costsOf, FREE, UNKNOWN } from '../support/costs.js';
import { EstateWriter } from '../support/estate.js';
import { type RunningService, startService } from '../support/service.js';
import { describeWith } from '../support/terraform.js';

jest.setTimeout(180_000);

const ON = { SERVICE_COST_ENABLED: 'true' };

describe('infrastate costs', () => {
  let backend: TestBackend;
  let worker: RunningService;
  let home: CliHome;
  let stateId: string;
  beforeAll(async () => {
    backend = await aBackend({ env: ON });
    worker = await startService({ role: 'worker', database: backend.service.database, env: ON });
    home = new CliHome({
      INFRASTATE_API_BASE: backend.url,
      INFRASTATE_API_KEY: backend.key,
      INFRASTATE_TENANT_ID: backend.tenantId,
    });
    const writer = new EstateWriter(backend, await backend.aState({ name: 'network' }));
    stateId = writer.state.id;
    await writer.write([aServer('web'), FREE, UNKNOWN]);
    await costsOf(backend, stateId, () => true);
  }, 120_000);
  afterAll(async () => {
    home?.remove();
    await worker?.stop();
    await backend?.stop();
  });

  it('shows a state, a tenant, what is not priced, and how it went', async () => {
    const state = await home.run(['costs', 'state', 'network']);
    expect([state.code, state.stderr]).toEqual([0, '']);
    expect(state.stdout).toMatch(/aws_instance\.web +us-east-1 +70\.88 USD/);
    expect(state.stdout).toMatch(/aws_iam_role\.task +free/);
    expect(state.stdout).toContain('70.88 USD a month; 50 % of the billable instances have a price');
    const list = await home.run(['costs', 'unsupported', 'network']);
    expect(list.stdout).toMatch(/fancycloud_thing\.x +there is no rule/);
    const tenant = await home.run(['costs', 'tenant', '--tag-key', 'team']);
    expect(tenant.stdout).toMatch(/core +2 +70\.88/);
    expect((await home.run(['costs', 'tag-keys'])).stdout).toBe('Name\nteam\n');
    const history = await home.run(['costs', 'history', '--group-by', 'type']);
    expect(history.stdout.trimEnd().split('\n')).toHaveLength(31);
    expect(history.stdout).toContain('70.88 USD');
    expect((await home.run(['costs', 'history', '--from', '2026-01-01'])).code).toBe(1);
    expect((await home.run(['costs', 'state', 'nowhere'])).code).toBe(66);
  });

  it('sets, shows and deletes usage, and calculates', async () => {
    const file = join(home.directory, 'usage.json');
    const usage = { resource_type_default_usage: { aws_lambda_function: { monthly_requests: 5 } } };
    writeFileSync(file, JSON.stringify(usage));
    expect((await home.run(['costs', 'usage', 'set', file, '--state', 'network'])).code).toBe(0);
    expect(await home.must(['costs', 'usage', 'show', '--state', 'network'])).toEqual(usage);
    expect((await home.run(['costs', 'usage', 'delete', '--state', 'network'])).code).toBe(0);
    expect(await home.must(['costs', 'usage', 'show'])).toEqual({});
    writeFileSync(file, 'no json');
    expect((await home.run(['costs', 'usage', 'set', file])).code).toBe(64);
    const task = await home.must<{ id: string }>(['costs', 'state', 'network', '--calculate']);
    expect(task.id).toMatch(/^[0-9a-f-]{36}$/);
  });

  it('is what docs/costs.md writes', async () => {
    const text = readFileSync(join(__dirname, '../../docs/costs.md'), 'utf8');
    const [, table = ''] = /## Look at costs\n([\s\S]*?)\n\n/.exec(text) ?? [];
    const session = await backend.api('POST', '/tx/session/create', {
      body: { tenant_id: backend.tenantId },
    });
    const { tx } = session.json() as { tx: { id: string } };
    const ids = { states: stateId, tenants: backend.tenantId, tx: tx.id };
    const requests = [...table.matchAll(/`(GET|POST) \/(states|tenants|tx)\/\{id\}(\S*)`/g)];
    expect(requests.length).toBe(7);
    for (const [, method = '', kind = '', rest = ''] of requests) {
      const path = `/${kind}/${ids[kind as keyof typeof ids]}${rest}`;
      expect([path, (await backend.api(method, path)).status]).toEqual([
        path,
        kind === 'tx' || method === 'POST' ? 202 : 200,
      ]);
    }
    const commands = [...table.matchAll(/`infrastate (costs [^`]+)`/g)].map(([, command = '']) => command);
    expect(commands.length).toBe(7);
    for (const command of commands) {
      const args = command.split(' ').map((word) => ({ NAME: 'network', ID: tx.id })[word] ?? word);
      expect([command, (await home.run(args)).code]).toEqual([command, 0]);
    }
    const [, usage = ''] = /```json\n([\s\S]*?)```/.exec(text) ?? [];
    const [, ...places] =
      /`PUT (\/states\/\{id\}\/costs\/usage)` or `(\/tenants\/\{id\}\/costs\/usage)`/.exec(text) ?? [];
    expect(places).toHaveLength(2);
    for (const place of places) {
      const path = place
        .replace('states/{id}', `states/${stateId}`)
        .replace('tenants/{id}', `tenants/${backend.tenantId}`);
      const saved = await backend.api('PUT', path, { body: JSON.parse(usage) as object });
      expect([saved.status, saved.json()]).toEqual([200, JSON.parse(usage)]);
      expect((await backend.api('DELETE', path)).status).toBe(204);
    }
  });

  describeWith('chromium', 'in the browser', () => {
    let browser: Browser;
    beforeAll(async () => {
      browser = await startBrowser();
    });
    afterAll(() => browser.close());

    it.each(['light', 'dark'] as const)(
      'shows the costs of a tenant and of a state, %s',
      async (colorScheme) => {
        const { page, complaints } = await visit(browser, backend.url, { colorScheme });
        await page.goto(`/tenants/${backend.tenantId}/costs`);
        await signInBy(page, { email: 'admin@example.test', password: 'correct horse battery' });
        await page.getByRole('heading', { level: 1, name: 'Costs', exact: true }).waitFor();
        await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Costs' }).waitFor();
        await page.getByRole('table', { name: 'By provider' }).getByText('70.88').waitFor();
        await page.getByRole('table', { name: 'By type' }).getByText('aws_instance').waitFor();
        await page.getByLabel('Tag', { exact: true }).selectOption('team');
        await page.getByRole('table', { name: 'By tag' }).getByText('core').waitFor();
        await page.getByRole('table', { name: 'History' }).getByText('70.88 USD').waitFor();
        expect(new URL(page.url()).searchParams.get('tag_key')).toBe('team');
        expect(await seriousFindings(page)).toEqual([]);
        await page.getByRole('table', { name: 'States' }).getByRole('link', { name: 'network' }).click();
        await page.getByRole('heading', { level: 1, name: 'network' }).waitFor();
        await page.getByRole('table', { name: 'Resources' }).getByText('70.88 USD').waitFor();
        await page.getByRole('table', { name: 'Not priced' }).getByText('fancycloud_thing.x').waitFor();
        await untilHolds(async () => expect(await page.title()).toMatch(/^Costs · network/));
        expect(await seriousFindings(page)).toEqual([]);
        await page.setViewportSize({ width: 360, height: 800 });
        // The page is laid out anew.
        await untilHolds(async () => expect(await sidewaysPixels(page)).toBe(0));
        expect(complaints).toEqual([]);
      },
    );
  });
});
