import * as fc from 'fast-check';
import { DataSource } from 'typeorm';
import { InventoryRows } from '../../src/modules/graph/projection/inventory-rows.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import {
  anOutput,
  GraphHarness,
  type GraphState,
  tuplesOf,
  type WrittenInstance,
} from '../support/graph-harness.js';
import { metaOf, someInstances } from '../support/graph-oracle.js';

const ROWS = {
  instances: 'SELECT key, address, attributes, module, index_key, deposed FROM instances',
  resources: 'SELECT key, address, mode, type, name, module, provider, instance_count FROM resources',
  modules: 'SELECT key, name, resource_count, instance_count FROM modules',
  providers: 'SELECT name AS key, instance_count FROM providers',
  outputs: 'SELECT key, name, value, sensitive FROM outputs',
};

/** Remembers the longest list that a statement was given. */
class WatchedWork extends UnitOfWork {
  longestList = 0;

  override async query<T>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const lengths = parameters.map((parameter) => (Array.isArray(parameter) ? parameter.length : 0));
    this.longestList = Math.max(this.longestList, ...lengths);
    return super.query<T>(sql, parameters);
  }
}

describe('The projection of a state', () => {
  let harness: GraphHarness;
  beforeAll(async () => {
    harness = await GraphHarness.start();
  });
  afterAll(() => harness.stop());

  async function projection(state: GraphState): Promise<Record<string, unknown>> {
    const found: Record<string, unknown> = {};
    for (const [table, sql] of Object.entries(ROWS))
      found[table] = await harness.query(`${sql} WHERE state_id = $1 ORDER BY key`, [state.id]);
    const [graph] = await harness.query<{ stats: unknown; topology: Buffer }>(
      'SELECT stats, topology FROM state_graphs WHERE state_id = $1',
      [state.id],
    );
    return { ...found, stats: graph?.stats, topology: graph?.topology.toString('hex') };
  }

  async function counts(state: GraphState): Promise<number[]> {
    const rows: number[] = [];
    for (const table of [...Object.keys(ROWS), 'state_graphs', 'state_links', 'output_sources']) {
      const owner = table === 'state_links' ? 'consumer_state_id' : 'state_id';
      const [row] = await harness.query<{ n: number }>(
        `SELECT count(*)::int AS n FROM ${table} WHERE ${owner} = $1`,
        [state.id],
      );
      rows.push(row?.n ?? -1);
    }
    return rows;
  }

  const written = someInstances.chain((metas) =>
    fc
      .array(fc.record({ a: fc.nat(2), provider: fc.constantFrom('p/one', 'p/two') }), {
        minLength: metas.length,
        maxLength: metas.length,
      })
      .map((values) =>
        metas.map((meta, i): WrittenInstance => ({
          meta: { ...meta, provider: values[i]?.provider ?? '' },
          attributes: { a: values[i]?.a },
        })),
      ),
  );

  it('is the same written at once or change by change', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(written, { minLength: 2, maxLength: 4 }), async (versions) => {
        let edited = await harness.aState();
        for (const instances of versions) edited = await harness.write(edited, instances);
        const fresh = await harness.write(await harness.aState(), versions.at(-1) ?? []);
        expect(await projection(edited)).toEqual(await projection(fresh));
      }),
      { numRuns: 25 },
    );
  });

  it('leaves the graph alone when only attributes change', async () => {
    const metas = [metaOf({ name: 'a' }), metaOf({ name: 'b', dependencies: ['test_thing.a'] })];
    const state = await harness.write(
      await harness.aState(),
      metas.map((meta) => ({ meta, attributes: { n: 1 } })),
    );
    const row = 'SELECT xmin::text, version FROM state_graphs WHERE state_id = $1';
    const before = await harness.query(row, [state.id]);
    await harness.write(
      state,
      metas.map((meta) => ({ meta, attributes: { n: 2 } })),
    );
    expect(await harness.query(row, [state.id])).toEqual(before);
    expect(
      await harness.query('SELECT DISTINCT attributes FROM instances WHERE state_id = $1', [state.id]),
    ).toEqual([{ attributes: { n: 2 } }]);
  });

  it('goes when the document cannot be decomposed, and comes back with the next one', async () => {
    const outputs = [anOutput('id', 'vpc-12345')];
    const instances = [{ meta: metaOf({ name: 'a' }), attributes: { id: 'vpc-12345' } }];
    const state = await harness.write(await harness.aState(), instances, { outputs });
    expect(await counts(state)).toEqual([1, 1, 1, 1, 1, 1, 0, 1]);
    const broken = { ...state, version: 2 };
    await harness.publish(broken, [], { graphError: 'encrypted', reset: true });
    expect(await counts(state)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
    await harness.write(broken, instances, { outputs, reset: true });
    expect(await counts(state)).toEqual([1, 1, 1, 1, 1, 1, 0, 1]);
  });

  it('goes with the state', async () => {
    const state = await harness.write(await harness.aState(), [{ meta: metaOf({ name: 'a' }) }], {
      outputs: [anOutput('id', 'x')],
    });
    await harness.query('DELETE FROM states WHERE id = $1', [state.id]);
    expect(await counts(state)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('refuses an instance that appears twice, and the connection is as good as before', async () => {
    const state = { ...(await harness.aState()), version: 1 };
    const one = { meta: metaOf({ name: 'a' }) };
    const batch = {
      removed: [],
      changed: [],
      added: [one.meta, one.meta],
      copy: tuplesOf([one, one], state),
    };
    await expect(harness.publish(state, [batch], { reset: true })).rejects.toMatchObject({ code: '23505' });
    await expect(
      harness.publish(state, [{ ...batch, copy: tuplesOf([one, one], state) }]),
    ).rejects.toMatchObject({
      code: '23505',
    });
    await harness.write({ ...state, version: 0 }, [one]);
    expect(await counts(state)).toEqual([1, 1, 1, 1, 0, 1, 0, 0]);
  });

  it('ends with the batches that it cannot read, and the connection is as good as before', async () => {
    const state = { ...(await harness.aState()), version: 1 };
    async function* failing() {
      const one = { meta: metaOf({ name: 'a' }) };
      yield await Promise.resolve({
        removed: [],
        changed: [],
        added: [one.meta],
        copy: tuplesOf([one], state),
      });
      throw new Error('the chunk is gone');
    }
    for (let round = 0; round < 12; round++)
      await expect(harness.publish(state, failing, { reset: true })).rejects.toThrow('the chunk is gone');
    expect(await counts(state)).toEqual([0, 0, 0, 0, 0, 0, 0, 0]);
  });

  it('writes rows that hold tabs, line breaks and backslashes', async () => {
    const meta = metaOf({ module: 'module.a["\\t\\n"]', name: 'a\\b\tc\nd', indexKey: 'x\ty' });
    const state = await harness.write(await harness.aState(), [{ meta }]);
    expect(
      await harness.query('SELECT address, name, module FROM resources WHERE state_id = $1', [state.id]),
    ).toEqual([{ address: meta.resourceAddress, name: meta.name, module: meta.module }]);
  });

  it('writes any number of outputs in pieces, whatever they hold', async () => {
    const state = await harness.aState();
    const many = Array.from({ length: 3000 }, (_, n) => anOutput(`many_${n}`, 'x'.repeat(50)));
    const odd = [
      anOutput('a\tb\\n', ['\t"\\\n', '\u{1f600}']),
      { name: 'secret', value: '"***"', type: '"string"', sensitive: true },
    ];
    const work = new WatchedWork(harness.context.get(DataSource));
    await work.run(() => new InventoryRows(work).writeOutputs(state.id, [...many, ...odd]));
    expect(work.longestList).toBe(0);
    const rows = await harness.query<{ name: string }>(
      'SELECT name, value::text, type::text, sensitive FROM outputs WHERE state_id = $1',
      [state.id],
    );
    expect(rows).toHaveLength(many.length + odd.length);
    expect(rows.filter(({ name }) => !name.startsWith('many_'))).toEqual([
      { ...odd[0], value: '["\\t\\"\\\\\\n", "\u{1f600}"]' },
      odd[1],
    ]);
  });
});
