import { spawnSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aBackend } from '../support/backend.js';
import { aLine, BillingEstate, focusCsv, type Source } from '../support/billing.js';
import { CliHome } from '../support/cli.js';
import { aServer, costsOf } from '../support/costs.js';
import { EstateWriter, eventually } from '../support/estate.js';

describe('infrastate costs: what was billed', () => {
  let estate: BillingEstate;
  let home: CliHome;
  let tenantId: string;
  let address: string;
  beforeAll(async () => {
    estate = await BillingEstate.create((env) => aBackend({ env }));
    tenantId = await estate.backend.aTenant();
    const writer = new EstateWriter(
      estate.backend,
      await estate.backend.aState({ tenant_id: tenantId, name: 'billed' }),
    );
    // 70.88 USD a month: 2.33 USD for the one day of the bill.
    await writer.write([
      aServer('web', { id: 'i-0123456789abcdef0' }),
      { type: 'aws_instance', name: 'odd', attributes: { id: 'i-0123456789abcdef1' } },
    ]);
    await costsOf(estate.backend, writer.state.id, ({ resource_count: count }) => count === 2);
    address = await estate.folder.write(
      `${tenantId}/bill.csv`,
      focusCsv([
        aLine({ ResourceId: 'i-0123456789abcdef0', BilledCost: '3.50' }),
        aLine({ ResourceId: 'i-0123456789abcdef1', BilledCost: '1.00' }),
        aLine({ ResourceId: 'vol-0aaaaaaaaaaaaaaaa', BilledCost: '1.25' }),
        aLine({ ResourceId: '', BilledCost: '0.25', ChargeCategory: 'Tax' }),
      ]),
    );
    home = new CliHome({
      INFRASTATE_API_BASE: estate.backend.url.replace(/\/api\/v1$/, ''),
      INFRASTATE_API_KEY: estate.backend.key,
      INFRASTATE_TENANT_ID: tenantId,
    });
  }, 120_000);
  afterAll(async () => {
    home.remove();
    await estate.stop();
  });

  it('adds a source, syncs it, and shows all that was billed', async () => {
    const source = await home.must<Source>([
      'costs',
      'sources',
      'add',
      'aws',
      address,
      '--months',
      '3',
      '--by-hand',
    ]);
    expect(source).toMatchObject({ source_uri: address, window_months: 3, enabled: false });
    const changed = await home.must<Source>([
      'costs',
      'sources',
      'change',
      source.id,
      '--daily',
      '--region',
      'eu-west-1',
    ]);
    expect(changed).toMatchObject({ enabled: true, region: 'eu-west-1', window_months: 3 });
    const { status } = await home.must<{ status: string }>(['costs', 'sources', 'sync', source.id]);
    expect(status).toBe('queued');
    await eventually('the sync', async () => {
      const { results } = await home.must<{ results: Source[] }>(['costs', 'sources', 'list']);
      return results[0]?.last_status === 'ok' ? true : undefined;
    });
    await eventually('the match', async () => {
      const { attributed_cost: cost } = await home.must<{ attributed_cost: string }>([
        'costs',
        'attribution',
      ]);
      return cost === '4.50' ? true : undefined;
    });
    const attribution = await home.run(['costs', 'attribution']);
    expect(attribution.stdout).toMatch(/all +6\.00 +4\.50 +1\.25 +0\.25 +75 %/);
    const actuals = (await home.run(['costs', 'actuals', 'billed'])).stdout;
    expect(actuals).toMatch(/^ADDRESS +ESTIMATED +BILLED +LINES\n/);
    expect(actuals).toMatch(/aws_instance\.web +2\.33 +3\.50 +1\n/);
    expect(actuals).toMatch(/aws_instance\.odd +0\.03 +1\.00 +1\n/);
    const inYen = (await home.run(['costs', 'actuals', 'billed', '--currency', 'JPY'])).stdout;
    expect(inYen).toMatch(/^ADDRESS +ESTIMATED +BILLED +LINES\n\n/);
    expect((await home.run(['costs', 'unmanaged', '--limit', '1'])).stdout).toMatch(
      /vol-0aaaaaaaaaaaaaaaa +1\.25 USD +aws/,
    );
    expect(await home.must(['costs', 'sources', 'delete', source.id])).toEqual({
      id: source.id,
      deleted: true,
    });
    expect(await home.must(['costs', 'sources', 'list'])).toEqual({ results: [] });
  });

  it.each([
    [['costs', 'sources', 'add', 'ibm', 's3://a/b'], 64],
    [['costs', 'unmanaged', '--limit', 'many'], 64],
    [['costs', 'sources', 'add', 'aws', 'http://a/b'], 1],
    [['costs', 'attribution', '--currency', 'dollars'], 1],
  ])('refuses %j', async (args, code) => {
    const outcome = await home.run(args);
    expect([outcome.code, outcome.stdout]).toEqual([code, '']);
  });

  it('is what docs/billing.md writes', async () => {
    const text = readFileSync(join(__dirname, '../../docs/billing.md'), 'utf8');
    const [, script = ''] = /```sh\n(curl[\s\S]*?)```/.exec(text) ?? [];
    const [create = '', sync = ''] = script
      .replace('s3://my-billing/exports/focus/**', address)
      .split(/\n(?=curl)/);
    const env = {
      ...process.env,
      BASE: `${estate.backend.url.replace(/\/api\/v1$/, '')}/api/v1`,
      TOKEN: estate.backend.key,
      TENANT: tenantId,
    };
    const shell = (command: string, more: Record<string, string> = {}): unknown =>
      JSON.parse(spawnSync('bash', ['-euc', command], { env: { ...env, ...more }, encoding: 'utf8' }).stdout);
    const source = shell(create) as Source;
    expect(source).toMatchObject({ source_uri: address, region: 'eu-central-1' });
    expect(shell(sync, { SOURCE: source.id })).toMatchObject({
      status: 'queued',
      task: { state: 'pending' },
    });
  });
});
