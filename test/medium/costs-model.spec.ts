import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { CostHistory } from '../../src/modules/costs/reports/cost-history.queries.js';
import { TenantCosts } from '../../src/modules/costs/reports/tenant-costs.queries.js';
import { CostHarness, type CostState, type PlacedInstance } from '../support/cost-harness.js';
import { euroPrices, priceBookText, writePriceBook } from '../support/price-books.js';

const REGIONS = ['us-east-1', 'eu-west-1'];
const arnOf = (region: string, id: string): string => `arn:aws:ec2:${region}:123456789012:thing/${id}`;

const tags = fc.option(fc.record({ team: fc.constantFrom('core', 'data', 'untagged') }), { nil: undefined });
const region = fc.option(fc.constantFrom(...REGIONS), { nil: undefined });
const size = fc.constantFrom('m5.large', 'm5.xlarge', 't3.micro', 'z9.none');

function placed(type: string, name: string, attributes: Record<string, unknown>): PlacedInstance {
  return { type, address: `${type}.${name}`, attributes };
}

/** An instance by slot: small numbers, so that steps meet the same instances, templates and groups again. */
const instance = fc.oneof(
  fc
    .record({ slot: fc.nat(3), size, region, tags, template: fc.option(fc.nat(1), { nil: undefined }) })
    .map((of) =>
      placed('aws_instance', `i${of.slot}`, {
        id: `i-${of.slot}`,
        ...(of.region === undefined ? {} : { arn: arnOf(of.region, `i-${of.slot}`) }),
        ...(of.template === undefined
          ? { instance_type: of.size }
          : { launch_template: [{ id: `lt-${of.template}` }] }),
        ...(of.tags === undefined ? {} : { tags: of.tags }),
      }),
    ),
  fc
    .record({ slot: fc.nat(2), id: fc.nat(1), size })
    .map(({ slot, id, size: type }) =>
      placed('aws_launch_template', `t${slot}`, { id: `lt-${id}`, name: `t${slot}`, instance_type: type }),
    ),
  fc
    .record({ slot: fc.nat(1), id: fc.nat(1), count: fc.nat(3), region })
    .map(({ slot, id, count, region: where }) =>
      placed('aws_autoscaling_group', `g${slot}`, {
        name: `g${slot}`,
        ...(where === undefined ? {} : { arn: arnOf(where, `g${slot}`) }),
        desired_capacity: count,
        launch_template: [{ id: `lt-${id}` }],
      }),
    ),
  fc.record({ slot: fc.nat(1), tags }).map(({ slot, tags: labels }) =>
    placed('aws_iam_role', `r${slot}`, {
      id: `r${slot}`,
      ...(labels === undefined ? {} : { tags: labels }),
    }),
  ),
  fc.nat(1).map((slot) => placed('fancycloud_thing', `x${slot}`, { id: slot })),
  fc.nat(1).map((slot) => ({
    ...placed('aws_instance', 'i0', { id: 'i-old', instance_type: 'm5.large' }),
    deposed: `dead${slot}`,
  })),
);
const content = fc.uniqueArray(instance, {
  maxLength: 10,
  selector: ({ address, deposed }) => `${address} ${deposed ?? ''}`,
});

describe('Pricing what changed', () => {
  let folder: string;
  let harness: CostHarness;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'books-'));
    writePriceBook(folder, 'euro.ndjson', priceBookText(euroPrices('eu-west-1')));
    harness = await CostHarness.start({ SERVICE_COST_PRICE_BOOK: folder });
  });
  afterAll(async () => {
    await harness.stop();
    rmSync(folder, { recursive: true, force: true });
  });

  /** Everything that pricing leaves behind for a state, without what tells when it was priced. */
  async function left({ id }: CostState): Promise<unknown> {
    return {
      items: await harness.query(
        `SELECT address, deposed, type, provider, region, own_region, cloud_resource_id, class, is_priced, currency,
           trim_scale(monthly_cost) AS monthly, trim_scale(hourly_cost) AS hourly, tags, components, mark
         FROM cost_items WHERE state_id = $1 AND until_seq = 2147483647 ORDER BY address, coalesce(deposed, '')`,
        [id],
      ),
      links: await harness.query(
        'SELECT link, role, key FROM cost_links WHERE state_id = $1 ORDER BY 1, 2, 3',
        [id],
      ),
      sums: await harness.query(
        `SELECT dimension, tag_key, name, currency, resource_count, trim_scale(monthly_cost) AS monthly, trim_scale(hourly_cost) AS hourly
         FROM cost_sums WHERE state_id = $1 AND until_day = 'infinity' ORDER BY 1, 2, 3, 4`,
        [id],
      ),
      snapshot: await harness.query(
        `SELECT c.currency, trim_scale(c.monthly_cost) AS monthly, trim_scale(c.hourly_cost) AS hourly, c.resource_count, c.free_count,
           c.supported_count, c.priced_count FROM cost_states p JOIN cost_snapshots c ON c.id = p.snapshot_id WHERE p.state_id = $1`,
        [id],
      ),
    };
  }

  /** What is kept for the tenant as a whole is the sum of what its states have, and so is what it is told. */
  async function expectTotals(tenantId: string, isWide: boolean): Promise<void> {
    const kept = await harness.query(
      `SELECT dimension, tag_key, name, currency, resource_count AS n, trim_scale(monthly_cost) AS monthly, trim_scale(hourly_cost) AS hourly
       FROM cost_totals WHERE tenant_id = $1 AND (resource_count <> 0 OR monthly_cost <> 0 OR hourly_cost <> 0) ORDER BY 1, 2, 3, 4`,
      [tenantId],
    );
    const added = await harness.query(
      `SELECT dimension, tag_key, name, currency, sum(resource_count)::int AS n, trim_scale(sum(monthly_cost)) AS monthly, trim_scale(sum(hourly_cost)) AS hourly
       FROM cost_sums WHERE tenant_id = $1 AND until_day = 'infinity' AND (dimension <> 't' OR NOT $2) GROUP BY 1, 2, 3, 4
       HAVING sum(resource_count) <> 0 OR sum(monthly_cost) <> 0 OR sum(hourly_cost) <> 0 ORDER BY 1, 2, 3, 4`,
      [tenantId, isWide],
    );
    expect(kept).toEqual(added);
    const teams = await harness.query<{ name: string; monthly: number }>(
      `SELECT coalesce(tags::jsonb ->> 'team', 'untagged') AS name, sum(CASE WHEN currency = 'USD' THEN monthly_cost ELSE 0 END)::float AS monthly
       FROM cost_items WHERE tenant_id = $1 AND until_seq = 2147483647 GROUP BY 1 ORDER BY 1`,
      [tenantId],
    );
    const told = await harness.context.get(TenantCosts).of(tenantId, { tag_key: 'team', currency: 'USD' });
    const byTag = told.by_tag.map(({ name, monthly_cost: cost }) => ({ name, monthly: Number(cost) }));
    const named = (rows: { name: string; monthly: number }[]) =>
      rows.filter(({ monthly }) => monthly !== 0).sort((left, right) => (left.name < right.name ? -1 : 1));
    expect(named(byTag)).toEqual(
      named(teams.map((row) => ({ ...row, monthly: Number(row.monthly.toFixed(10)) }))),
    );
  }

  it('leaves what pricing from nothing leaves, and a history that every snapshot agrees with', async () => {
    const history = harness.context.get(CostHistory);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ content, days: fc.nat(2), other: fc.boolean() }), {
          minLength: 2,
          maxLength: 6,
        }),
        fc.boolean(),
        fc.boolean(),
        async (steps, deletesLast, isWide) => {
          const tenantId = await harness.aTenant();
          // Kept for each state alone: nobody may see a difference.
          if (isWide)
            await harness.query(`INSERT INTO cost_wide_tags (tenant_id, tag_key) VALUES ($1, 'team')`, [
              tenantId,
            ]);
          const first = harness.today;
          let states = [await harness.aState(tenantId), await harness.aState(tenantId)];
          /** state, then day, to the tag's sums at its end */
          const kept = states.map(() => new Map<string, Map<string, string>>());
          for (const step of steps) {
            harness.nextDays(step.days);
            const at = step.other ? 1 : 0;
            const state = states[at];
            if (state === undefined) continue;
            const written = await harness.write(state, step.content);
            states = states.map((each, index) => (index === at ? written : each));
            await harness.pricing.price({ stateId: written.id });
            const fresh = await harness.write(await harness.aState(await harness.aTenant()), step.content);
            await harness.pricing.price({ stateId: fresh.id });
            expect(await left(written)).toEqual(await left(fresh));
            const sums = await harness.query<{ team: string; monthly: string }>(
              `SELECT coalesce(tags::jsonb ->> 'team', 'untagged') AS team, trim_scale(sum(monthly_cost))::text AS monthly
               FROM cost_items WHERE state_id = $1 AND until_seq = 2147483647 AND currency = 'USD' GROUP BY 1`,
              [written.id],
            );
            kept[at]?.set(harness.today, new Map(sums.map(({ team, monthly }) => [team, monthly])));
          }
          // Gone today, by the database's clock: the days before that stay what they were.
          if (deletesLast) await harness.query('DELETE FROM states WHERE id = $1', [states[0]?.id]);
          await expectTotals(tenantId, isWide);
          const { points } = await history.of(tenantId, {
            from: `${first}T00:00:00Z`,
            to: harness.now.toISOString(),
            group_by: 'tag',
            tag_key: 'team',
            currency: 'USD',
          });
          const shown = points.map(({ date, groups }) => ({
            date,
            groups: Object.fromEntries(
              groups
                .filter((group) => Number(group.monthly_cost) !== 0)
                .map((group) => [group.name, Number(group.monthly_cost)]),
            ),
          }));
          expect(shown).toEqual(points.map(({ date }) => ({ date, groups: carried(kept, date) })));
          for (const { date, monthly_cost: total = '0' } of points)
            expect([date, Number(total)]).toEqual([date, totalOf(carried(kept, date))]);
        },
      ),
      { numRuns: 40 },
    );
  }, 300_000);

  it('keeps the totals of a tenant whose states are priced and deleted at the same time', async () => {
    const tenantId = await harness.aTenant();
    const content = (size: string, team: string) =>
      [1, 2, 3].map((at) =>
        placed('aws_instance', `i${at}`, { instance_type: size, tags: { team, [`key${at}`]: team } }),
      );
    const states: CostState[] = [];
    for (let at = 0; at < 6; at++)
      states.push(await harness.write(await harness.aState(tenantId), content('m5.large', `t${at % 2}`)));
    await Promise.all(states.map(({ id }) => harness.pricing.price({ stateId: id })));
    await expectTotals(tenantId, false);
    const [gone, also, ...rest] = states;
    for (const state of rest) await harness.write(state, content('m5.xlarge', 't2'));
    await Promise.all([
      ...[gone, also].map((state) => harness.query('DELETE FROM states WHERE id = $1', [state?.id])),
      ...rest.map(({ id }) => harness.pricing.price({ stateId: id })),
    ]);
    await expectTotals(tenantId, false);
  });

  it('counts a deleted state to the day before', async () => {
    const tenantId = await harness.aTenant();
    const before = harness.now;
    try {
      harness.now = new Date(Date.now() - 2 * 86_400_000);
      const server = placed('aws_instance', 'a', { instance_type: 'm5.large', region: 'us-east-1' });
      const state = await harness.write(await harness.aState(tenantId), [server]);
      await harness.pricing.price({ stateId: state.id });
      harness.now = new Date();
      await harness.query('DELETE FROM states WHERE id = $1', [state.id]);
      const { points } = await harness.context.get(CostHistory).of(tenantId, {});
      expect(points.slice(-4).map(({ monthly_cost: cost }) => cost)).toEqual([
        undefined,
        '70.88',
        '70.88',
        '0.00',
      ]);
    } finally {
      harness.now = before;
    }
  });

  it('prices a state as a whole when most instances move to another region', async () => {
    const tenantId = await harness.aTenant();
    const bare = placed('aws_nat_gateway', 'n', { id: 'nat-1' });
    const role = (name: string, where: string) =>
      placed('aws_iam_role', name, { id: name, arn: arnOf(where, name) });
    let state = await harness.write(await harness.aState(tenantId), [bare, role('a', 'us-east-1')]);
    await harness.pricing.price({ stateId: state.id });
    state = await harness.write(state, [
      bare,
      role('a', 'us-east-1'),
      role('b', 'af-south-1'),
      role('c', 'af-south-1'),
    ]);
    await harness.pricing.price({ stateId: state.id });
    const [row] = await harness.query<{ region: string; monthly_cost: string | null }>(
      `SELECT region, monthly_cost FROM cost_items WHERE state_id = $1 AND address = 'aws_nat_gateway.n' AND until_seq = 2147483647`,
      [state.id],
    );
    // The shipped book has no price there, and no other region's is taken.
    expect(row).toEqual({ region: 'af-south-1', monthly_cost: null });
  });
});

function totalOf(sums: Record<string, number>): number {
  return Number(
    Object.values(sums)
      .reduce((total, sum) => total + sum, 0)
      .toFixed(10),
  );
}

/** The sums by tag at the end of a day: of each state those of its last snapshot until then. */
function carried(kept: readonly Map<string, Map<string, string>>[], date: string): Record<string, number> {
  const sums: Record<string, number> = {};
  for (const days of kept) {
    const day = [...days.keys()].filter((each) => each <= date).at(-1);
    for (const [team, monthly] of day === undefined ? [] : (days.get(day) ?? []))
      sums[team] = Number(((sums[team] ?? 0) + Number(monthly)).toFixed(10));
  }
  return Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0));
}
