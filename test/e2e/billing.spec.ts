import { randomUUID } from 'node:crypto';
import { isDeepStrictEqual } from 'node:util';
import { gzipSync } from 'node:zlib';
import { aBackend } from '../support/backend.js';
import { aLine, BillingEstate, focusCsv } from '../support/billing.js';
import { EstateWriter, eventually } from '../support/estate.js';

interface Attribution {
  total_cost: string;
  attributed_cost: string;
  unmanaged_cost: string;
  unallocated_cost: string;
  coverage_percent: number;
  line_count: number;
  by_provider: { provider: string; total_cost: string }[];
  [more: string]: unknown;
}
interface Actuals {
  billed_cost: string;
  line_count: number;
  resources: { address: string; billed_cost: string; line_count: number }[];
  [more: string]: unknown;
}
interface Unmanaged {
  results: { resource_id: string; billed_cost: string }[];
  next_page?: string;
  other_currencies?: string[];
}

describe('Actual spend', () => {
  let estate: BillingEstate;
  beforeAll(async () => {
    estate = await BillingEstate.create((env) => aBackend({ env }));
  }, 120_000);
  afterAll(async () => estate.stop());

  const attribution = (tenantId: string, query = ''): Promise<Attribution> =>
    estate.api('GET', `/tenants/${tenantId}/costs/attribution${query}`);
  const unmanaged = (tenantId: string, query = ''): Promise<Unmanaged> =>
    estate.api('GET', `/tenants/${tenantId}/costs/unmanaged${query}`);
  const actuals = (stateId: string, query = ''): Promise<Actuals> =>
    estate.api('GET', `/states/${stateId}/costs/actuals${query}`);

  /** A state of the tenant that holds instances with these ids. */
  async function aStateWith(tenantId: string, ids: readonly string[]): Promise<EstateWriter> {
    const writer = new EstateWriter(estate.backend, await estate.backend.aState({ tenant_id: tenantId }));
    await writer.write(instancesOf(ids));
    return writer;
  }
  const instancesOf = (ids: readonly string[]) =>
    ids.map((id) => ({ type: 'aws_instance', name: id.replace('-', '_'), attributes: { id } }));
  const anId = (): string => `i-${randomUUID().replaceAll('-', '').slice(0, 17)}`;

  it('answers zeros when nothing is loaded', async () => {
    const tenantId = await estate.backend.aTenant();
    const state = await estate.backend.aState({ tenant_id: tenantId });
    expect(await attribution(tenantId)).toEqual({
      total_cost: '0',
      attributed_cost: '0',
      unmanaged_cost: '0',
      unallocated_cost: '0',
      coverage_percent: 100,
      line_count: 0,
      attributed_count: 0,
      unmanaged_count: 0,
      unallocated_count: 0,
      matcher_version: 2,
      by_provider: [],
    });
    expect(await unmanaged(tenantId)).toEqual({ results: [] });
    expect(await actuals(state.id)).toEqual({ billed_cost: '0', line_count: 0, resources: [] });
  });

  it('splits what is billed into three parts that add up to the last digit', async () => {
    const [managed, lost] = [anId(), anId()];
    const tenantId = await estate.backend.aTenant();
    const { state } = await aStateWith(tenantId, [managed]);
    await eventually('cloud ids', async () => {
      const { rowCount } = await estate.backend.service.pool.query('SELECT FROM cloud_ids WHERE id = $1', [
        managed,
      ]);
      return rowCount === 1 ? true : undefined;
    });
    const day = (number: number): string => `${new Date().toISOString().slice(0, 7)}-0${number}`;
    const uri = await estate.folder.write(
      `${tenantId}/bill.csv`,
      focusCsv([
        aLine({ ResourceId: managed, BilledCost: '0.1', ChargePeriodStart: `${day(1)}T00:00:00Z` }),
        aLine({ ResourceId: managed, BilledCost: '6.1E-7', ChargePeriodStart: `${day(1)}T01:00:00Z` }),
        aLine({
          ResourceId: managed,
          BilledCost: '-0.05',
          ChargePeriodStart: `${day(2)} 00:00:00`,
          ChargeCategory: 'Credit',
        }),
        aLine({
          ResourceId: lost,
          BilledCost: '12345678901.000000000000000000000001',
          RegionId: 'eu-west-1',
        }),
        aLine({ ResourceId: 'NULL', BilledCost: '19.00', ChargeCategory: 'Tax', ServiceName: 'Tax' }),
        aLine({ ResourceId: '/subscriptions/A/x', BilledCost: '2.5', ProviderName: 'Microsoft' }),
      ]),
    );
    const { id } = await estate.aSource(tenantId, uri);
    const source = await estate.sync(tenantId, id);
    expect(source).toMatchObject({ last_status: 'ok', last_row_count: 6, task: { state: 'completed' } });
    expect(source).not.toHaveProperty('last_error');

    const parts = await attribution(tenantId);
    expect(parts).toMatchObject({
      total_cost: '12345678922.550000610000000000000001',
      attributed_cost: '0.05000061',
      unmanaged_cost: '12345678903.500000000000000000000001',
      unallocated_cost: '19.00',
      coverage_percent: 0,
      line_count: 6,
      attributed_count: 3,
      unmanaged_count: 2,
      unallocated_count: 1,
      currency: 'USD',
      window_start: day(1),
      window_end: day(2),
    });
    expect(parts.by_provider.map((row) => [row.provider, row.total_cost])).toEqual([
      ['aws', '12345678920.050000610000000000000001'],
      ['azure', '2.50'],
    ]);
    expect(await actuals(state.id)).toMatchObject({
      billed_cost: '0.05000061',
      line_count: 3,
      resources: [
        { address: `aws_instance.${managed.replace('-', '_')}`, billed_cost: '0.05000061', line_count: 3 },
      ],
    });
    expect((await unmanaged(tenantId)).results).toEqual([
      {
        resource_id: lost,
        provider: 'aws',
        billed_cost: '12345678901.000000000000000000000001',
        line_count: 1,
        currency: 'USD',
        region_id: 'eu-west-1',
        service_name: 'Amazon Elastic Compute Cloud',
      },
      {
        resource_id: '/subscriptions/A/x',
        provider: 'azure',
        billed_cost: '2.50',
        line_count: 1,
        currency: 'USD',
        service_name: 'Amazon Elastic Compute Cloud',
      },
    ]);
    const bounds = await estate.api<Record<string, unknown>[]>(
      'GET',
      `/mql?q=${encodeURIComponent(
        `SELECT bucket, sum(billed_cost) AS cost, sum(line_count) AS n FROM billing_rows WHERE tenant_id = '${tenantId}' GROUP BY bucket ORDER BY bucket`,
      )}`,
    );
    expect(bounds.map((row) => [row['bucket'], Number(row['n'])])).toEqual([
      ['attributed', 3],
      ['unallocated', 1],
      ['unmanaged', 2],
    ]);
  });

  it('follows the states: a write, a removal, a second holder, a deletion', async () => {
    const id = anId();
    const { tenantId } = await estate.loaded(focusCsv([aLine({ ResourceId: id, BilledCost: '4.20' })]));
    const part = async (name: string, expected: string): Promise<void> => {
      await eventually(`${name} ${expected}`, async () =>
        (await attribution(tenantId))[name] === expected ? true : undefined,
      );
    };
    await part('unmanaged_cost', '4.20');
    const first = await aStateWith(tenantId, [id]);
    await part('attributed_cost', '4.20');
    const second = await aStateWith(tenantId, [id]);
    await first.write([]);
    await eventually('the second holder', async () =>
      (await actuals(second.state.id)).billed_cost === '4.20' ? true : undefined,
    );
    expect(await attribution(tenantId)).toMatchObject({ attributed_cost: '4.20', total_cost: '4.20' });
    await estate.backend.service.pool.query('DELETE FROM states WHERE id = $1', [second.state.id]);
    expect(await attribution(tenantId)).toMatchObject({ attributed_cost: '0.00', unmanaged_cost: '4.20' });
  });

  it('never matches an instance of another tenant', async () => {
    const id = anId();
    await aStateWith(await estate.backend.aTenant(), [id]);
    const { tenantId } = await estate.loaded(focusCsv([aLine({ ResourceId: id })]));
    expect(await attribution(tenantId)).toMatchObject({ attributed_count: 0, unmanaged_count: 1 });
  });

  it('gives the cost of a disk to the disk that a state holds, else to the machine that carries it', async () => {
    const tenantId = await estate.backend.aTenant();
    const [machine, root, data, lost] = [
      anId(),
      `vol-${anId().slice(2)}`,
      `vol-${anId().slice(2)}`,
      'vol-0000',
    ];
    const carriers = new EstateWriter(estate.backend, await estate.backend.aState({ tenant_id: tenantId }));
    await carriers.write([
      {
        type: 'aws_instance',
        name: 'web',
        attributes: {
          id: machine,
          root_block_device: [{ volume_id: root, volume_size: 8 }],
          ebs_block_device: [{ volume_id: data, device_name: '/dev/sdf' }],
        },
      },
    ]);
    const disks = new EstateWriter(estate.backend, await estate.backend.aState({ tenant_id: tenantId }));
    const disk = { type: 'aws_ebs_volume', name: 'data', attributes: { id: data } };
    await disks.write([disk]);
    const uri = await estate.folder.write(
      `${tenantId}/bill.csv`,
      focusCsv([
        aLine({ ResourceId: machine, BilledCost: '1' }),
        aLine({ ResourceId: root, BilledCost: '2' }),
        aLine({ ResourceId: `arn:aws:ec2:eu-west-1:123456789012:volume/${data}`, BilledCost: '4' }),
        aLine({ ResourceId: lost, BilledCost: '8' }),
      ]),
    );
    const { id } = await estate.aSource(tenantId, uri);
    await estate.sync(tenantId, id);
    const billed = async (expected: Record<string, string>): Promise<void> => {
      await eventually(`the bills ${JSON.stringify(expected)}`, async () => {
        const parts = await Promise.all([carriers, disks].map(({ state }) => actuals(state.id)));
        const rows = parts.flatMap(({ resources }) => resources).map((row) => [row.address, row.billed_cost]);
        return isDeepStrictEqual(Object.fromEntries(rows), expected) ? true : undefined;
      });
    };
    await billed({ 'aws_instance.web': '3.00', 'aws_ebs_volume.data': '4.00' });
    expect((await unmanaged(tenantId)).results.map((row) => row.resource_id)).toEqual([lost]);
    await disks.write([]);
    await billed({ 'aws_instance.web': '7.00' });
    await carriers.write([]);
    await billed({});
    expect(await attribution(tenantId)).toMatchObject({ attributed_cost: '0.00', unmanaged_cost: '15.00' });
  });

  it('replaces the window of a source and leaves what is older', async () => {
    const tenantId = await estate.backend.aTenant();
    const now = new Date();
    const old = new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() - 3, 5)).toISOString();
    const write = (cost: string): Promise<string> =>
      estate.folder.write(
        `${tenantId}/bill.csv`,
        focusCsv([aLine({ BilledCost: cost, ChargePeriodStart: old }), aLine({ BilledCost: cost })]),
      );
    const { id } = await estate.aSource(tenantId, await write('1'));
    expect((await estate.sync(tenantId, id, { window_start: old })).last_row_count).toBe(2);
    await write('5');
    expect((await estate.sync(tenantId, id)).last_row_count).toBe(1);
    expect((await attribution(tenantId)).total_cost).toBe('6.00');
    await estate.sync(tenantId, id);
    expect((await attribution(tenantId)).total_cost).toBe('6.00');
    await estate.sync(tenantId, id, { window_start: old.slice(0, 10) });
    expect((await attribution(tenantId)).total_cost).toBe('10.00');
    await estate.api('DELETE', `/tenants/${tenantId}/billing-sources/${id}`);
    expect((await attribution(tenantId)).line_count).toBe(0);
    const { rowCount } = await estate.backend.service.pool.query(
      'SELECT FROM billing_rows WHERE tenant_id = $1',
      [tenantId],
    );
    expect(rowCount).toBe(0);
  });

  it('never adds currencies, and shows the one with the most lines', async () => {
    const { tenantId } = await estate.loaded(
      focusCsv([
        aLine({ BilledCost: '1' }),
        aLine({ BilledCost: '2' }),
        aLine({ BilledCost: '100', BillingCurrency: 'EUR' }),
      ]),
    );
    expect(await attribution(tenantId)).toMatchObject({
      total_cost: '3.00',
      currency: 'USD',
      other_currencies: ['EUR'],
    });
    expect(await attribution(tenantId, '?currency=eur')).toMatchObject({
      total_cost: '100.00',
      other_currencies: ['USD'],
    });
    expect(await unmanaged(tenantId, '?currency=EUR')).toMatchObject({
      results: [{ billed_cost: '100.00' }],
      other_currencies: ['USD'],
    });
    const refused = await estate.backend.api(
      'GET',
      `/tenants/${tenantId}/costs/attribution?currency=dollars`,
    );
    expect([refused.status, refused.json()]).toEqual([
      400,
      { id: 'INVALID_REQUEST', data: 'currency must be an ISO 4217 code such as USD' },
    ]);
  });

  it('pages through unmanaged resources without repeating or losing one', async () => {
    const lines = Array.from({ length: 25 }, (_, number) =>
      aLine({ ResourceId: `vol-${number}`, BilledCost: String(number % 3) }),
    );
    const { tenantId } = await estate.loaded(gzipSync(focusCsv(lines)), { name: 'bill.csv.gz' });
    const seen: string[] = [];
    for (let page: string | undefined = ''; page !== undefined;) {
      const list: Unmanaged = await unmanaged(tenantId, `?limit=4${page === '' ? '' : `&page=${page}`}`);
      seen.push(...list.results.map((row) => row.resource_id));
      page = list.next_page;
    }
    expect(seen).toHaveLength(25);
    expect(new Set(seen).size).toBe(25);
    const broken = await estate.backend.api('GET', `/tenants/${tenantId}/costs/unmanaged?page=WzFd`);
    expect(broken.status).toBe(400);
  });

  it.each([
    [
      'an amount in words',
      [aLine(), aLine({ BilledCost: 'twelve' })],
      'line 3: the cost must be a decimal number',
    ],
    ['no currency', [aLine({ BillingCurrency: '' })], 'line 2: the currency must be three letters'],
    ['no date', [aLine({ ChargePeriodStart: 'yesterday' })], 'line 2: the beginning of the charge period'],
    [
      'a date of another age',
      [aLine({ ChargePeriodStart: '1066-10-14T00:00:00Z' })],
      'line 2: the charge period begins too early',
    ],
  ])('refuses a file with %s as a whole, and says where', async (_, lines, message) => {
    const { tenantId, source } = await estate.loaded(focusCsv(lines));
    expect(source).toMatchObject({
      last_status: 'error',
      task: { state: 'failed', error: 'BILLING_SYNC_FAILED' },
    });
    expect(source.last_error).toContain(`bill.csv: ${message}`);
    expect(source.last_error).not.toContain('twelve');
    expect((await attribution(tenantId)).line_count).toBe(0);
  });
});
