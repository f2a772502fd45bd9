import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { aBackend, type TestBackend } from '../support/backend.js';
import { aServer, costsOf, type StateCosts } from '../support/costs.js';
import { EstateWriter, eventually } from '../support/estate.js';
import { HAND_PRICED, HAND_PRICED_TOTAL } from '../support/hand-priced.js';
import { euroPrices, priceBookText, writePriceBook } from '../support/price-books.js';
import { freePort, type RunningService, startService } from '../support/service.js';
import { change, TransactionClient } from '../support/transactions.js';

const EURO_REGION = 'eu-west-1';

function aEuroServer(name: string) {
  const arn = `arn:aws:ec2:${EURO_REGION}:123456789012:instance/i-${name}`;
  return aServer(name, { arn, tags: { team: 'core' } });
}

describe('Prices of states', () => {
  let folder: string;
  let backend: TestBackend;
  let worker: RunningService;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'books-'));
    writePriceBook(folder, 'euro.ndjson', priceBookText(euroPrices(EURO_REGION)));
    const env = { SERVICE_COST_ENABLED: 'true', SERVICE_COST_PRICE_BOOK: folder };
    backend = await aBackend({ env });
    worker = await startService({ role: 'worker', database: backend.service.database, env });
  });
  afterAll(async () => {
    await worker.stop();
    await backend.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const get = async (path: string): Promise<unknown> => (await backend.api('GET', path)).json();

  it('are what was worked out by hand from the sources', async () => {
    const writer = new EstateWriter(backend, await backend.aState());
    const used = HAND_PRICED.flatMap(({ resource, usage }) =>
      usage ? [[`${resource.type}.${resource.name}`, usage] as const] : [],
    );
    const usage = { resource_usage: Object.fromEntries(used) };
    await backend.api('PUT', `/states/${writer.state.id}/costs/usage`, { body: usage });
    await writer.write(HAND_PRICED.map(({ resource }) => resource));
    const costs = await costsOf(
      backend,
      writer.state.id,
      ({ resource_count: count }) => count === HAND_PRICED.length,
    );
    const byAddress = new Map(costs.instance_costs.map((row) => [row.address, row]));
    const shown = HAND_PRICED.map(({ resource }) => {
      const row = byAddress.get(`${resource.type}.${resource.name}`) as unknown as PricedRow | undefined;
      return {
        address: row?.address,
        monthly: row?.monthly_cost,
        parts: row?.components
          .filter((part) => part.monthly_cost !== undefined)
          .map((part) => [part.name, part.monthly_quantity, part.price, part.monthly_cost]),
      };
    });
    expect(shown).toEqual(
      HAND_PRICED.map(({ resource, parts, monthly }) => ({
        address: `${resource.type}.${resource.name}`,
        monthly,
        parts,
      })),
    );
    expect(costs).toMatchObject({ monthly_cost: HAND_PRICED_TOTAL, coverage_percent: 100 });
  });

  it('are never added across currencies, wherever they are shown', async () => {
    const tenantId = await backend.aTenant();
    const writer = new EstateWriter(backend, await backend.aState({ tenant_id: tenantId }));
    await writer.write([aServer('a'), aServer('b'), aEuroServer('c')]);
    const state = (await costsOf(
      backend,
      writer.state.id,
      ({ resource_count: count }) => count === 3,
    )) as StateCosts & { other_currencies: unknown };
    expect(state).toMatchObject({
      currency: 'USD',
      monthly_cost: '141.76',
      other_currencies: [{ currency: 'EUR', monthly_cost: '81.00' }],
    });
    const tenant = `/tenants/${tenantId}/costs`;
    expect(await get(`${tenant}?currency=EUR&tag_key=team`)).toMatchObject({
      currency: 'EUR',
      monthly_cost: '81.00',
      other_currencies: [{ currency: 'USD', monthly_cost: '141.76' }],
      by_type: [{ name: 'aws_instance', resource_count: 3, monthly_cost: '81.00' }],
      by_tag: [{ name: 'core', monthly_cost: '81.00' }],
    });
    for (const [currency, amount] of [
      ['USD', '141.76'],
      ['EUR', '81.00'],
      ['CHF', '0.00'],
    ]) {
      const { points } = (await get(`${tenant}/history?currency=${currency}`)) as {
        points: { monthly_cost?: string }[];
      };
      expect([currency, points.at(-1)?.monthly_cost]).toEqual([currency, amount]);
    }
    const { rows } = await backend.service.pool.query<{ currency: string; monthly: string }>(
      `SELECT currency, trim_scale(monthly_cost)::text AS monthly FROM cost_sums
       WHERE state_id = $1 AND dimension = 'r' ORDER BY currency`,
      [writer.state.id],
    );
    expect(rows).toEqual([
      { currency: 'EUR', monthly: '81' },
      { currency: 'USD', monthly: '141.76' },
    ]);
  });

  it('are told by currency for a plan as well', async () => {
    const client = new TransactionClient(backend);
    const state = await backend.aState();
    const writer = new EstateWriter(backend, state);
    await writer.write([aServer('a')]);
    await costsOf(backend, state.id, () => true);
    const txId = await client.create();
    await client.append(txId, [{ action: 'refresh', object_type: 'refresh', state_id: state.id, data: {} }]);
    const { task, token } = await client.begin(txId, 'preview');
    const created = [aEuroServer('b'), aServer('c')].map(({ type, name, attributes }) => ({
      ...(change(`${type}.${name}`, ['create']) as object),
      type,
      name,
      change: { actions: ['create'], before: null, after: attributes, after_unknown: {} },
    }));
    await client.report(token, {
      kind: 'preview',
      has_changes: true,
      plan: 'a plan',
      plan_json: { format_version: '1.2', resource_changes: created },
    });
    expect(await client.ended(task)).toBe('completed');
    const delta = (currency: string): Promise<unknown> =>
      eventually('the delta', async () => {
        const answer = await backend.api('GET', `/tx/${txId}/costs?currency=${currency}`);
        return answer.status === 200 ? answer.json() : undefined;
      });
    expect(await delta('USD')).toMatchObject({
      ...{ current_monthly_cost: '70.88', planned_monthly_cost: '141.76', delta_monthly_cost: '+70.88' },
      other_currencies: [{ currency: 'EUR', monthly_cost: '+81.00' }],
    });
    expect(await delta('EUR')).toMatchObject({
      ...{ current_monthly_cost: '0.00', planned_monthly_cost: '81.00', delta_monthly_cost: '+81.00' },
      other_currencies: [{ currency: 'USD', monthly_cost: '+70.88' }],
    });
  });

  it('are not computed without a book, and the port of readiness says which file is broken', async () => {
    const broken = mkdtempSync(join(tmpdir(), 'books-'));
    const path = writePriceBook(broken, 'own.ndjson', 'no price book\n');
    const port = await freePort();
    const service = await startService({
      database: backend.service.database,
      env: {
        SERVICE_COST_ENABLED: 'true',
        SERVICE_COST_PORT: String(port),
        SERVICE_COST_PRICE_BOOK: path,
      },
    });
    try {
      const ready = await eventually('the failure', async () => {
        const answer = await fetch(`http://127.0.0.1:${port}/readyz`);
        const body = (await answer.json()) as { error?: string };
        return body.error === undefined ? undefined : { status: answer.status, body };
      });
      expect(ready).toEqual({
        status: 503,
        body: { status: 'loading', error: `${path}: line 1 must be JSON` },
      });
      expect((await fetch(`${service.url}/health/ready`)).status).toBe(200);
      expect(service.output()).toContain('price book not loaded');
      const metrics = await (await fetch(`${service.internalUrl}/metrics`)).text();
      expect(metrics).toMatch(/^cost_price_book_failures_total [1-9]/m);
      expect(metrics).toMatch(/^cost_price_book_prices 0$/m);
    } finally {
      await service.stop();
      rmSync(broken, { recursive: true, force: true });
    }
  });
});

interface PricedRow {
  address: string;
  monthly_cost?: string;
  components: { name: string; monthly_quantity?: string; price?: string; monthly_cost?: string }[];
}
