import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { PriceBooks } from '../../src/modules/costs/books/price-books.service.js';
import { CostHistory } from '../../src/modules/costs/reports/cost-history.queries.js';
import { TenantCosts } from '../../src/modules/costs/reports/tenant-costs.queries.js';
import { PricingJobs } from '../../src/modules/costs/upkeep/price-states.job.js';
import type { JobRun } from '../../src/platform/queue/index.js';
import { Metrics } from '../../src/platform/metrics/index.js';
import { CostHarness, type CostState, type PlacedInstance } from '../support/cost-harness.js';
import { euroPrices, M5_LARGE, priceBookText, writePriceBook } from '../support/price-books.js';

const HOUR_MS = 3_600_000;
const KEPT_DAYS = 2;
const RUN = { lastAttempt: false } as JobRun;

function server(name: string, region = 'us-east-1', more: Record<string, unknown> = {}): PlacedInstance {
  const arn = `arn:aws:ec2:${region}:123456789012:instance/i-${name}`;
  return {
    type: 'aws_instance',
    address: `aws_instance.${name}`,
    attributes: { id: `i-${name}`, arn, instance_type: 'm5.large', ...more },
  };
}

describe('The upkeep of costs', () => {
  let folder: string;
  let harness: CostHarness;
  let books: PriceBooks;
  let jobs: PricingJobs;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'books-'));
    harness = await CostHarness.start({
      SERVICE_COST_PRICE_BOOK: folder,
      SERVICE_COST_SNAPSHOTS_KEEP_DAYS: String(KEPT_DAYS),
    });
    books = harness.context.get(PriceBooks);
    jobs = harness.context.get(PricingJobs);
  });
  afterAll(async () => {
    await harness.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  const later = (hours: number): void => {
    harness.now = new Date(harness.now.getTime() + hours * HOUR_MS);
  };
  const written = async (instances: PlacedInstance[], tenantId?: string): Promise<CostState> =>
    harness.write(await harness.aState(tenantId ?? (await harness.aTenant())), instances);

  interface Snapshot {
    seq: number;
    triggered_by: string;
    currency: string;
    monthly: string;
    price_book: string;
  }
  const snapshots = ({ id }: CostState): Promise<Snapshot[]> =>
    harness.query<Snapshot>(
      `SELECT seq, triggered_by, currency, trim_scale(monthly_cost)::text AS monthly, price_book
       FROM cost_snapshots WHERE state_id = $1 AND kind = 'current' ORDER BY seq`,
      [id],
    );
  /** What the items of each snapshot add up to, in its currency. */
  const sumsOfItems = ({ id }: CostState): Promise<{ seq: number; monthly: string }[]> =>
    harness.query(
      `SELECT c.seq, coalesce(trim_scale(sum(i.monthly_cost)), 0)::text AS monthly FROM cost_snapshots c
         LEFT JOIN cost_items i ON i.state_id = c.state_id AND i.from_seq <= c.seq AND i.until_seq > c.seq AND i.currency = c.currency
       WHERE c.state_id = $1 GROUP BY c.seq ORDER BY c.seq`,
      [id],
    );

  it('takes one snapshot a day of a state that nobody writes', async () => {
    const state = await written([server('a')]);
    await jobs.sweep({}, RUN);
    expect(await snapshots(state)).toMatchObject([{ seq: 1, monthly: '70.88' }]);
    later(23);
    await jobs.sweep({}, RUN);
    expect(await snapshots(state)).toHaveLength(1);
    later(1);
    await jobs.sweep({}, RUN);
    await jobs.sweep({}, RUN);
    expect(await snapshots(state)).toMatchObject([
      { seq: 1 },
      { seq: 2, triggered_by: 'scheduled', monthly: '70.88' },
    ]);
    // Nothing differs, so nothing is written but the snapshot itself.
    expect(
      await harness.query('SELECT from_seq, until_seq FROM cost_items WHERE state_id = $1', [state.id]),
    ).toEqual([{ from_seq: 1, until_seq: 2_147_483_647 }]);
  });

  it('prices all of a state with another book, by its next write or by the daily snapshot', async () => {
    const before = books.status.version;
    let changing = await written([server('a'), server('b')]);
    const quiet = await written([server('c')]);
    await jobs.sweep({}, RUN);
    writePriceBook(
      folder,
      'own.ndjson.gz',
      gzipSync(priceBookText([{ region: 'us-east-1', key: M5_LARGE, amount: '0.2' }])),
    );
    try {
      await books.reload();
      const { version } = books.status;
      expect(version).not.toBe(before);
      changing = await harness.write(changing, [
        server('a', 'us-east-1', { tags: { team: 'core' } }),
        server('b'),
      ]);
      await jobs.sweep({}, RUN);
      // 0.2 an hour and 0.80 for the root volume, for both.
      expect(await snapshots(changing)).toMatchObject([
        { monthly: '141.76', price_book: before },
        { monthly: '293.6', price_book: version },
      ]);
      expect(await sumsOfItems(changing)).toEqual([
        { seq: 1, monthly: '141.76' },
        { seq: 2, monthly: '293.6' },
      ]);
      expect(await snapshots(quiet)).toHaveLength(1);
      later(24);
      await jobs.sweep({}, RUN);
      expect(await snapshots(quiet)).toMatchObject([
        { monthly: '70.88', price_book: before },
        { monthly: '146.8', price_book: version, triggered_by: 'scheduled' },
      ]);
    } finally {
      rmSync(join(folder, 'own.ndjson.gz'));
      await books.reload();
    }
    expect(books.status.version).toBe(before);
  });

  it.each([
    ['half a gzip', gzipSync(priceBookText(euroPrices('us-east-1'))).subarray(0, 60), 'file cannot be read'],
    ['a last line without end', priceBookText(euroPrices('us-east-1')).trimEnd(), 'file is truncated'],
    ['a later version', priceBookText([], { version: 2 }), 'version 2 is not supported'],
    [
      'a negative price',
      priceBookText([{ region: 'us-east-1', key: M5_LARGE, amount: '-1' }]),
      'price must be a decimal that is not negative',
    ],
    [
      'a price twice',
      priceBookText([...euroPrices('us-east-1'), ...euroPrices('us-east-1')]),
      `price aws us-east-1 ${M5_LARGE} is doubled`,
    ],
  ])('keeps the book in force when a file has %s, and says why', async (_, content, reason) => {
    await books.reload();
    const { version, prices } = books.status;
    const failures = await failuresSoFar();
    const state = await written([server('a')]);
    const name = typeof content === 'string' ? 'broken.ndjson' : 'broken.ndjson.gz';
    const path = writePriceBook(folder, name, content);
    try {
      await books.reload();
      expect(books.status).toMatchObject({ version, prices });
      expect(books.status.error).toContain(path);
      expect(books.status.error).toContain(reason);
      expect(await failuresSoFar()).toBe(failures + 1);
      await harness.pricing.price({ stateId: state.id });
      expect(await snapshots(state)).toMatchObject([{ monthly: '70.88', price_book: version }]);
    } finally {
      rmSync(path);
    }
    await books.reload();
    expect(books.status).toMatchObject({ version, prices });
    expect(books.status).not.toHaveProperty('error');
  });

  async function failuresSoFar(): Promise<number> {
    const text = await harness.context.get(Metrics).registry.metrics();
    return Number(/^cost_price_book_failures_total (\d+)$/m.exec(text)?.[1]);
  }

  it('never adds amounts of different currencies', async () => {
    writePriceBook(folder, 'euro.ndjson', priceBookText(euroPrices('eu-central-1')));
    try {
      await books.reload();
      const tenantId = await harness.aTenant();
      const tags = { team: 'core' };
      let state = await written(
        [server('a', 'us-east-1', { tags }), server('b'), server('c', 'eu-central-1', { tags })],
        tenantId,
      );
      const other = await written([server('d', 'eu-central-1')], tenantId);
      await harness.pricing.price({ stateId: state.id });
      await harness.pricing.price({ stateId: other.id });
      const totals = await harness.query(
        `SELECT currency, trim_scale(monthly_cost)::text AS monthly, other_totals AS others FROM cost_snapshots WHERE tenant_id = $1 ORDER BY resource_count`,
        [tenantId],
      );
      expect(totals).toEqual([
        { currency: 'EUR', monthly: '81', others: [] },
        {
          currency: 'USD',
          monthly: '141.76',
          others: [{ currency: 'EUR', monthly_cost: '81.00', hourly_cost: '0.11095890411' }],
        },
      ]);
      const costs = harness.context.get(TenantCosts);
      const shown = async (currency?: string) => {
        const view = await costs.of(tenantId, {
          tag_key: 'team',
          ...(currency === undefined ? {} : { currency }),
        });
        return {
          total: [view.currency, view.monthly_cost],
          others: view.other_currencies?.map((each) => [each.currency, each.monthly_cost]),
          types: view.by_type.map(({ monthly_cost: cost }) => cost),
          tags: view.by_tag.map(({ name, monthly_cost: cost }) => [name, cost]),
          states: view.states.map(({ monthly_cost: cost }) => cost),
        };
      };
      const dollars = {
        total: ['USD', '141.76'],
        others: [['EUR', '162.00']],
        types: ['141.76'],
        tags: [
          ['core', '70.88'],
          ['untagged', '70.88'],
        ],
        states: ['141.76', '0.00'],
      };
      const euros = {
        total: ['EUR', '162.00'],
        others: [['USD', '141.76']],
        types: ['162.00'],
        tags: [
          ['core', '81.00'],
          ['untagged', '81.00'],
        ],
        states: ['81.00', '81.00'],
      };
      // Two instances on either side: the earlier code is the main one.
      expect(await shown()).toEqual(euros);
      expect(await shown('USD')).toEqual(dollars);
      expect((await shown('GBP')).total).toEqual(['GBP', '0.00']);
      later(24);
      state = await harness.write(state, [server('a'), server('b'), server('e')]);
      await harness.pricing.price({ stateId: state.id });
      expect(await shown()).toMatchObject({ total: ['USD', '212.64'], others: [['EUR', '81.00']] });
      const history = harness.context.get(CostHistory);
      for (const [currency, amounts] of [
        ['USD', ['141.76', '212.64']],
        ['EUR', ['162.00', '81.00']],
      ] as const) {
        const { points } = await history.of(tenantId, { currency });
        expect([currency, points.slice(-2).map((point) => point.monthly_cost)]).toEqual([currency, amounts]);
      }
    } finally {
      rmSync(join(folder, 'euro.ndjson'));
      await books.reload();
    }
  });

  it('thins snapshots that are older, and changes neither the history nor what is left', async () => {
    const tenantId = await harness.aTenant();
    const types = ['m5.large', 'm5.xlarge', 't3.micro'];
    harness.now = new Date(`${harness.today}T01:00:00Z`);
    let state = await harness.aState(tenantId);
    const single = await written([server('single')], tenantId);
    await harness.pricing.price({ stateId: single.id });
    const first = harness.today;
    for (let round = 0; round < 15; round++) {
      state = await harness.write(state, [
        server('kept'),
        ...(round % 4 === 0 ? [] : [server('comes and goes')]),
        server('a', 'us-east-1', { instance_type: types[round % 3], tags: { round: String(round) } }),
      ]);
      await harness.pricing.price({ stateId: state.id });
      later(8);
    }
    later(-8);
    const history = harness.context.get(CostHistory);
    const range = { from: `${first}T00:00:00Z`, group_by: 'tag', tag_key: 'round' };
    const before = await history.of(tenantId, range);
    await jobs.thin({}, RUN);
    const left = await harness.query<{ day: string; snapshots: number; last: number }>(
      `SELECT (calculated_at AT TIME ZONE 'UTC')::date::text AS day, count(*)::int AS snapshots, max(seq)::int AS last
       FROM cost_snapshots WHERE state_id = $1 GROUP BY 1 ORDER BY 1`,
      [state.id],
    );
    // Three a day for five days; those of the last two days are younger.
    expect(left.map((day) => [day.snapshots, day.last])).toEqual([
      [1, 3],
      [1, 6],
      [1, 9],
      [3, 12],
      [3, 15],
    ]);
    expect(await history.of(tenantId, range)).toEqual(before);
    const kept = await snapshots(state);
    expect(await sumsOfItems(state)).toEqual(kept.map(({ seq, monthly }) => ({ seq, monthly })));
    const orphans = await harness.query(
      `SELECT address FROM cost_items i WHERE state_id = $1 AND NOT EXISTS (SELECT FROM cost_snapshots s
         WHERE s.state_id = i.state_id AND s.seq >= i.from_seq AND s.seq < i.until_seq)`,
      [state.id],
    );
    expect(orphans).toEqual([]);
    expect(await snapshots(single)).toHaveLength(1);
    await jobs.thin({}, RUN);
    expect(await snapshots(state)).toEqual(kept);
  });

  it('tells PostgreSQL of a large state at once, so that its pages are read by the index', async () => {
    const state = await written([server('first')]);
    await harness.query(
      `INSERT INTO instances (state_id, key, tenant_id, address, resource_address, mode, type, name, provider, create_before_destroy,
         attributes, hash)
       SELECT $1, gen_random_uuid(), $2, 'aws_iam_role.r' || n, 'aws_iam_role.r' || n, 'managed', 'aws_iam_role', 'r', 'p', false,
         '{}', $3 FROM generate_series(1, 10000) n`,
      [state.id, state.tenantId, Buffer.alloc(32)],
    );
    const known = async () =>
      (
        await harness.query<{ n: number }>(
          `SELECT reltuples::int AS n FROM pg_class WHERE relname = 'cost_items'`,
        )
      )[0]?.n;
    expect(await known()).toBeLessThan(10_000);
    await harness.pricing.price({ stateId: state.id });
    expect(await known()).toBeGreaterThan(10_000);
  });

  it('prices a state that cannot be taken apart as empty, says why, and prices it again afterwards', async () => {
    const tenantId = await harness.aTenant();
    const state = await written([server('a'), server('b')], tenantId);
    const taken = async (graphError: string | null) => {
      await harness.query('UPDATE states SET version = version + 1, graph_error = $2 WHERE id = $1', [
        state.id,
        graphError,
      ]);
      await harness.pricing.price({ stateId: state.id });
      const rows = await harness.query(
        `SELECT trim_scale(monthly_cost)::text AS monthly, resource_count AS n, error_message AS error FROM cost_snapshots
         WHERE state_id = $1 ORDER BY seq DESC LIMIT 1`,
        [state.id],
      );
      return rows[0];
    };
    expect(await taken(null)).toEqual({ monthly: '141.76', n: 2, error: null });
    expect(await taken('too many instances')).toEqual({ monthly: '0', n: 0, error: 'too many instances' });
    expect((await harness.context.get(TenantCosts).of(tenantId, {})).monthly_cost).toBe('0.00');
    expect(await taken(null)).toEqual({ monthly: '141.76', n: 2, error: null });
    expect(await sumsOfItems(state)).toEqual([
      { seq: 1, monthly: '141.76' },
      { seq: 2, monthly: '0' },
      { seq: 3, monthly: '141.76' },
    ]);
  });

  it('keeps what changed for types with names of any length, and forgets it with the tenant', async () => {
    const tenantId = await harness.aTenant();
    const type = `odd_${'x'.repeat(3_000)}`;
    const odd = { type, address: 'odd.thing', attributes: {} };
    const state = await written(
      [server('a'), odd, { ...odd, type: `${type}y`, address: 'odd.other' }],
      tenantId,
    );
    const kept = await written([server('b')], tenantId);
    await harness.pricing.price({ stateId: state.id });
    await harness.pricing.price({ stateId: kept.id });
    const changes = () =>
      harness.query<{ name: string; n: number; monthly: string }>(
        `SELECT left(name, 12) AS name, sum(resource_count)::int AS n, trim_scale(sum(monthly_cost))::text AS monthly
         FROM cost_changes WHERE tenant_id = $1 AND dimension = 'r' GROUP BY 1 ORDER BY 1`,
        [tenantId],
      );
    expect(await changes()).toEqual([
      { name: 'aws_instance', n: 2, monthly: '141.76' },
      { name: 'odd_xxxxxxxx', n: 2, monthly: '0' },
    ]);
    await harness.query('DELETE FROM states WHERE id = $1', [state.id]);
    expect(await changes()).toEqual([
      { name: 'aws_instance', n: 1, monthly: '70.88' },
      { name: 'odd_xxxxxxxx', n: 0, monthly: '0' },
    ]);
    await harness.query('DELETE FROM tenants WHERE id = $1', [tenantId]);
    expect(await changes()).toEqual([]);
  });

  it('brings the totals up to what an older release wrote to the sums of states alone', async () => {
    const tenantId = await harness.aTenant();
    const tagged = (name: string) => ({
      ...server(name),
      attributes: { ...server(name).attributes, tags: { team: 'core' } },
    });
    for (const names of [['a', 'b'], ['c']]) {
      const { id } = await written(names.map(tagged), tenantId);
      await harness.pricing.price({ stateId: id });
    }
    const kept = () =>
      harness.query(
        `SELECT dimension::text, tag_key, name, currency, NULL AS day, resource_count, trim_scale(monthly_cost)::text AS monthly
           FROM cost_totals WHERE tenant_id = $1
         UNION ALL
         SELECT 'day', tag_key, name, currency, day::text, resource_count, trim_scale(monthly_cost)::text
           FROM cost_tag_changes WHERE tenant_id = $1 ORDER BY 1, 2, 3, 4, 5`,
        [tenantId],
      );
    const right = await kept();
    expect(right).toHaveLength(4);
    await harness.query(
      'UPDATE cost_totals SET resource_count = resource_count + 2, monthly_cost = monthly_cost - 1.5 WHERE tenant_id = $1',
      [tenantId],
    );
    await harness.query('DELETE FROM cost_tag_changes WHERE tenant_id = $1', [tenantId]);
    expect(await kept()).not.toEqual(right);
    await jobs.thin({}, RUN);
    await jobs.thin({}, RUN);
    expect(await kept()).toEqual(right);
  });

  it('prices a state again whose tag is cut in the middle of a character', async () => {
    const tags = (character: string) => ({ note: `${'a'.repeat(399)}${character}` });
    const state = await written([
      server('a', 'us-east-1', { tags: tags('😀') }),
      server('b', 'us-east-1', { tags: tags('😎') }),
    ]);
    await harness.pricing.price({ stateId: state.id });
    await harness.query(`UPDATE cost_states SET basis = '' WHERE state_id = $1`, [state.id]);
    await harness.pricing.price({ stateId: state.id, trigger: 'manual' });
    expect(
      await harness.query(
        `SELECT length(name) AS length, resource_count FROM cost_sums WHERE state_id = $1 AND dimension = 't' AND until_day = 'infinity'`,
        [state.id],
      ),
    ).toEqual([{ length: 400, resource_count: 2 }]);
  });

  it('keeps a tag that tells instances apart for each state alone, with the same answers', async () => {
    const tenantId = await harness.aTenant();
    const named = (count: number) =>
      Array.from({ length: count }, (_, at) => ({
        ...server(`n${at}`),
        attributes: { ...server(`n${at}`).attributes, tags: { Name: `n${at}`, team: 'core' } },
      }));
    const small = await written(named(3), tenantId);
    await harness.pricing.price({ stateId: small.id });
    const kept = () =>
      harness.query(
        `SELECT (SELECT json_agg(tag_key) FROM cost_wide_tags WHERE tenant_id = $1) AS wide,
           (SELECT json_object_agg(tag_key, n) FROM (SELECT tag_key, count(*) AS n FROM cost_totals WHERE tenant_id = $1 AND dimension = 't' GROUP BY 1) t) AS totals,
           (SELECT json_object_agg(tag_key, n) FROM (SELECT tag_key, count(*) AS n FROM cost_tag_changes WHERE tenant_id = $1 GROUP BY 1) t) AS changes`,
        [tenantId],
      );
    expect(await kept()).toEqual([
      { wide: null, totals: { Name: 3, team: 1 }, changes: { Name: 3, team: 1 } },
    ]);
    const large = await written(named(501), tenantId);
    await harness.pricing.price({ stateId: large.id });
    expect(await kept()).toEqual([{ wide: ['Name'], totals: { team: 1 }, changes: { team: 1 } }]);
    const answers = async () => {
      const costs = harness.context.get(TenantCosts);
      const history = harness.context.get(CostHistory);
      const byName = await costs.of(tenantId, { tag_key: 'Name' });
      const byTeam = await costs.of(tenantId, { tag_key: 'team' });
      const { points } = await history.of(tenantId, {
        group_by: 'tag',
        tag_key: 'Name',
        to: harness.now.toISOString(),
      });
      return {
        names: byName.by_tag.length,
        first: byName.by_tag.find(({ name }) => name === 'n0')?.monthly_cost,
        team: byTeam.by_tag.find(({ name }) => name === 'core')?.monthly_cost,
        history: points.at(-1)?.groups.find(({ name }) => name === 'n0')?.monthly_cost,
      };
    };
    expect(await answers()).toEqual({
      ...{ names: 501, first: '141.76', team: '35723.52', history: '141.76' },
    });
    await harness.query('DELETE FROM states WHERE id = $1', [small.id]);
    expect(await answers()).toMatchObject({ names: 501, first: '70.88', team: '35510.88' });
    await harness.query('DELETE FROM states WHERE id = $1', [large.id]);
    expect(await answers()).toMatchObject({ names: 0, first: undefined, team: undefined });
    await jobs.thin({}, RUN);
    expect(await kept()).toMatchObject([{ wide: ['Name'], totals: null }]);
    await harness.query('DELETE FROM tenants WHERE id = $1', [tenantId]);
    expect(await kept()).toEqual([{ wide: null, totals: null, changes: null }]);
  });
});
