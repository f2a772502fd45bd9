import fc from 'fast-check';
import {
  aQueryEstate,
  ask,
  follow,
  inScope,
  networkOf,
  type QueryEstate,
  type Side,
  write,
} from '../support/mql.js';

const READER = 'service_mql';

describe('GET /mql', () => {
  let estate: QueryEstate;
  let one: Side;
  beforeAll(async () => {
    estate = await aQueryEstate();
    one = estate.one;
  });
  afterAll(() => estate.stop());

  const query = (q: string, more: Record<string, string> = {}) => ask(estate.backend.url, one.key, q, more);
  const rowsOf = async (q: string) => (await query(q)).body as Record<string, unknown>[];

  describe('rows', () => {
    it('are objects with a member for each column, numbers with every digit', async () => {
      const { body, text, headers } = await query(
        `SELECT count(*) AS n, 12345678901234567890.5 AS large, NULL AS nothing, true AS yes, ARRAY['a'] AS list, '{"a":1.10}'::jsonb AS document FROM states`,
      );
      expect(body).toEqual([
        { n: 2, large: 12345678901234567000, nothing: null, yes: true, list: ['a'], document: { a: 1.1 } },
      ]);
      expect(text).toContain('12345678901234567890.5');
      expect(text).toContain('1.10');
      expect(headers['content-type']).toContain('application/json');
      expect(headers['cache-control']).toBe('no-store');
    });

    it('are 20 without LIMIT, and a header says when that left some out', async () => {
      const all = 'SELECT * FROM instances a, (VALUES (1), (2), (3)) v (n)';
      const cut = await query(all);
      expect((cut.body as unknown[]).length).toBe(20);
      expect(cut.headers).toMatchObject({
        'mql-default-limit-applied': '20',
        'mql-pagination-error': 'ORDER_BY_MISSING',
      });
      expect(cut.headers['link']).toBeUndefined();
      const whole = await query('SELECT * FROM states');
      expect(whole.headers['mql-default-limit-applied']).toBeUndefined();
      expect(whole.headers['mql-pagination-error']).toBeUndefined();
      const own = await query(`${all} LIMIT 2`);
      expect((own.body as unknown[]).length).toBe(2);
      expect(own.headers['mql-default-limit-applied']).toBeUndefined();
      expect(own.headers['mql-pagination-error']).toBe('ORDER_BY_MISSING');
    });

    it('are 1000 at most, and the parameter limit is ignored', async () => {
      const many =
        'SELECT a.address FROM instances a, instances b, instances c, (VALUES (1), (2), (3)) v (n)';
      expect((await rowsOf(`${many} LIMIT 5000`)).length).toBe(1000);
      expect(((await query(`${many} LIMIT 3`, { limit: '7' })).body as unknown[]).length).toBe(3);
      expect(await rowsOf(`${many} LIMIT 0`)).toEqual([]);
    });

    it('keep columns of one name apart, however long it is and wherever they come from', async () => {
      const name = 'n'.repeat(63);
      expect(
        await rowsOf(`SELECT * FROM (SELECT 1 AS x, 2 AS x) a, (SELECT 3 AS "${name}", 4 AS "${name}") b`),
      ).toEqual([{ x: 1, x_2: 2, [name]: 3, [`${name.slice(2)}_2`]: 4 }]);
    });

    it('gather what PostgreSQL gathers', async () => {
      const values = `(VALUES (1, 'b', ARRAY['x']), (2, 'a', ARRAY['y']), (2, NULL, ARRAY['z'])) v (n, t, l)`;
      const q = `SELECT n, array_agg(t ORDER BY t) AS a, array_agg(DISTINCT n), string_agg(t, '-') FILTER (WHERE n = 2) AS s, jsonb_agg(t), jsonb_object_agg(t, n) FILTER (WHERE t IS NOT NULL) AS o,
        array_agg(l), ARRAY(SELECT w.n FROM (VALUES (3), (1), (2)) w (n) WHERE w.n >= v.n ORDER BY 1 DESC) AS x, ARRAY(SELECT 'q' WHERE false)
        FROM ${values} GROUP BY n HAVING array_agg(t) IS NOT NULL ORDER BY array_agg(n)`;
      expect(await rowsOf(q)).toEqual([
        {
          n: 1,
          a: ['b'],
          array_agg: [1],
          s: null,
          jsonb_agg: ['b'],
          o: { b: 1 },
          array_agg_2: [['x']],
          x: [3, 2, 1],
          array: [],
        },
        {
          n: 2,
          a: ['a', null],
          array_agg: [2],
          s: 'a',
          jsonb_agg: ['a', null],
          o: { a: 2 },
          array_agg_2: [['y'], ['z']],
          x: [3, 2],
          array: [],
        },
      ]);
      expect(
        await rowsOf(
          'SELECT array_agg(n) OVER (ORDER BY n) AS a FROM (VALUES (1), (2)) v (n) ORDER BY n LIMIT 5',
        ),
      ).toEqual([{ a: [1] }, { a: [1, 2] }]);
      expect((await query('SELECT ARRAY(SELECT 1, 2)')).body).toMatchObject({ id: 'QUERY_ERR' });
    });

    it('hold times in the zone that is asked for', async () => {
      const q = `SELECT '2026-07-01T12:00:00Z'::timestamptz AS t`;
      expect((await query(q)).body).toEqual([{ t: '2026-07-01T12:00:00+00:00' }]);
      expect((await query(q, { tz: 'Europe/Berlin' })).body).toEqual([{ t: '2026-07-01T14:00:00+02:00' }]);
      for (const tz of ['Nowhere/Land', `UTC'; DROP TABLE x`])
        expect((await query(q, { tz })).status).toBe(400);
    });

    it('need a credential and a query', async () => {
      expect((await ask(estate.backend.url, 'wrong', 'SELECT 1')).status).toBe(401);
      const missing = await follow(`${estate.backend.url}/api/v1/mql`, one.key);
      expect([missing.status, missing.body.id]).toEqual([400, 'INVALID_REQUEST']);
    });
  });

  it.each([
    ['SELEC 1', 'QUERY_ERR', 'at position 1'],
    ['SELECT adress FROM instances', 'UNKNOWN_COLUMN_ERR', 'did you mean "address"? (at position 8)'],
    ['SELECT * FROM instancs', 'TABLE_ACCESS_ERR', 'did you mean "instances"? (at position 15)'],
    ['SELECT pg_sleep(1)', 'FUNC_ACCESS_ERR', 'at position 8'],
    [`SELECT 'x'::regclass`, 'CAST_ERR', 'regclass'],
    ['SELECT 1/0', 'QUERY_ERR', 'division by zero'],
    [`SELECT 'x'::int`, 'QUERY_ERR', 'invalid input syntax'],
    [`SELECT * FROM states WHERE name ~ '('`, 'QUERY_ERR', 'regular expression'],
    ['SELECT address, type > 5 FROM instances', 'QUERY_ERR', 'at position 22'],
    ['SELECT address FROM instances GROUP BY type', 'QUERY_ERR', 'at position 8'],
    ['SELECT lower(1) FROM states', 'FUNC_ACCESS_ERR', 'at position 8'],
    [`SELECT repeat('x', 10)`, 'FUNC_ACCESS_ERR', 'repeat'],
  ])('answers %s with %s', async (q, id, text) => {
    const { status, body } = await query(q);
    expect([status, body.id]).toEqual([400, id]);
    expect(body.data).toContain(text);
  });

  it('describes tables as the views are, with a description of each', async () => {
    const { body } = await follow(`${estate.backend.url}/api/v1/mql/schema`, one.key);
    expect(body).toMatchObject({ default_limit: 20, max_limit: 1000 });
    const tables = body.tables as Record<
      string,
      { description: string; columns: Record<string, { type: string; description: string }> }
    >;
    const listed =
      'states state_versions resources instances outputs providers modules edges check_results check_entries transactions transaction_logs transaction_plan_operations tenants users';
    expect(Object.keys(tables)).toEqual(expect.arrayContaining(listed.split(' ')));
    const { rows } = await estate.backend.service.pool.query<{ table: string; column: string; type: string }>(
      `SELECT c.relname AS table, a.attname AS column, format_type(a.atttypid, a.atttypmod) AS type FROM pg_attribute a JOIN pg_class c ON c.oid = a.attrelid
       WHERE c.relnamespace = 'mql'::regnamespace AND c.relkind = 'v' AND c.relname NOT LIKE '%\\_indexed' AND a.attnum > 0 ORDER BY 1, a.attnum`,
    );
    const described = Object.entries(tables).flatMap(([table, { columns }]) =>
      Object.entries(columns).map(([column, { type }]) => ({
        table,
        column,
        type: type === 'timestamptz' ? 'timestamp with time zone' : type,
      })),
    );
    const sorted = (list: typeof described) => list.map((row) => JSON.stringify(row)).sort();
    expect(sorted(described)).toEqual(sorted(rows));
    for (const table of Object.values(tables)) {
      expect(table.description.length).toBeGreaterThan(10);
      for (const column of Object.values(table.columns)) expect(column.description.length).toBeGreaterThan(5);
    }
  });

  describe('pages', () => {
    async function pages(q: string): Promise<{ rows: string[]; sizes: number[]; back: boolean }> {
      const rows: string[] = [];
      const sizes: number[] = [];
      let back = true;
      let before: string | undefined;
      for (let answer = await query(q); ;) {
        expect([q, answer.status]).toEqual([q, 200]);
        const page = (answer.body as unknown[]).map((row) => JSON.stringify(row));
        rows.push(...page);
        sizes.push(page.length);
        const prev = answer.link('prev');
        if (before !== undefined) {
          const earlier = prev === undefined ? undefined : await follow(prev, one.key);
          back &&= JSON.stringify(earlier?.body) === before;
        } else back &&= prev === undefined;
        before = JSON.stringify(answer.body);
        const next = answer.link('next');
        if (next === undefined) return { rows, sizes, back };
        answer = await follow(next, one.key);
      }
    }

    /** What psql shows to the reader in the scope of the tenant, without a limit. */
    async function directly(sql: string): Promise<string[]> {
      return inScope(estate.backend.service.pool, { tenants: [one.tenantId], as: READER }, async (client) => {
        await client.query(`SET LOCAL TimeZone = 'UTC'`);
        const { rows } = await client.query<{ row: string }>(
          `SELECT row_to_json(q)::text AS row FROM (${sql}) q`,
        );
        return rows.map(({ row }) => JSON.stringify(JSON.parse(row)));
      });
    }

    const item = fc.record({
      column: fc.constantFrom(
        'type',
        'mode',
        'module',
        'status',
        'index_key',
        'schema_version',
        'state_id',
        'address',
        'create_before_destroy',
        'lower(type)',
        'length(address)',
      ),
      direction: fc.constantFrom('', ' ASC', ' DESC'),
      nulls: fc.constantFrom('', ' NULLS FIRST', ' NULLS LAST'),
    });
    const order = fc
      .uniqueArray(item, { minLength: 1, maxLength: 3, selector: ({ column }) => column })
      .map((items) =>
        items.map(({ column, direction, nulls }) => `${column}${direction}${nulls}`).join(', '),
      );
    const source = fc.constantFrom(
      'SELECT type, mode, module, status, index_key, schema_version, state_id, address, create_before_destroy FROM instances',
      'SELECT * FROM instances',
      'SELECT i.*, n FROM instances i, (VALUES (1), (1), (NULL)) v (n)',
      `SELECT type, mode, module, status, index_key, schema_version, state_id, address, create_before_destroy FROM instances WHERE address LIKE 'aws%'`,
      `SELECT type, mode, module, status, index_key, schema_version, state_id, address, create_before_destroy FROM instances WHERE attributes @> '{"note": "alpha"}'`,
    );
    const others = fc.constantFrom(
      'SELECT type, count(*) AS n FROM instances GROUP BY type ORDER BY n',
      'SELECT type, count(*) AS n FROM instances GROUP BY type ORDER BY n DESC, type',
      'SELECT DISTINCT type, mode FROM instances ORDER BY mode',
      'SELECT DISTINCT ON (type) type, mode FROM instances ORDER BY type, mode DESC',
      'SELECT type FROM instances UNION ALL SELECT type FROM resources ORDER BY type',
      'SELECT type, NULL::int AS n FROM instances UNION ALL SELECT type, instance_count FROM resources ORDER BY n NULLS FIRST',
      'SELECT type FROM instances ORDER BY address',
      'SELECT type, 1 AS same FROM instances ORDER BY same',
      'SELECT type AS t FROM instances ORDER BY 1',
      'SELECT i.type, rank() OVER (PARTITION BY mode ORDER BY type) FROM instances i ORDER BY i.type',
      'WITH a AS (SELECT type FROM instances) SELECT a.type, b.type FROM a JOIN a b USING (type) ORDER BY 1 DESC',
      'SELECT (VALUES (1)) AS n, type FROM instances ORDER BY n',
      'SELECT attributes, type FROM instances ORDER BY attributes',
      'SELECT dependencies, address FROM instances ORDER BY dependencies',
      'SELECT created_at, name FROM states ORDER BY created_at',
    );
    const ordered = fc.oneof(
      { weight: 3, arbitrary: fc.tuple(source, order).map(([sql, by]) => `${sql} ORDER BY ${by}`) },
      { weight: 2, arbitrary: others },
    );

    it('hold each row once, in the order that is asked for, whatever it is, and lead back', async () => {
      await fc.assert(
        fc.asyncProperty(ordered, fc.integer({ min: 1, max: 6 }), async (sql, limit) => {
          const { rows, back, sizes } = await pages(`${sql} LIMIT ${limit}`);
          const whole = await directly(sql);
          const renamed = sql.includes('a.type, b.type') ? whole.length : rows.length;
          if (!sql.includes('a.type, b.type'))
            expect([sql, [...rows].sort()]).toEqual([sql, [...whole].sort()]);
          expect([sql, renamed, back]).toEqual([sql, whole.length, true]);
          expect(sizes.slice(0, -1).every((size) => size === limit)).toBe(true);
        }),
        { numRuns: 60, endOnFailure: true },
      );
    }, 180_000);

    it.each([
      ['numbers', `(1.0, 'a'), (1.00, 'b'), (1.0, 'c'), (1.000, 'd'), (2, 'e')`],
      [
        'times',
        `(interval '24 hours', 'a'), ('1 day', 'b'), ('24 hours', 'c'), ('1 day', 'd'), ('2 days', 'e')`,
      ],
      ['documents', `('1.0'::jsonb, 'a'), ('1.00', 'b'), ('1.0', 'c'), ('1', 'd'), ('2', 'e')`],
      ['rows', `(ROW(1.0), 'a'), (ROW(1.00), 'b'), (ROW(1.0), 'c'), (ROW(1.000), 'd'), (ROW(2.0), 'e')`],
      [
        'lists of rows',
        `(ARRAY[ROW(1.0)], 'a'), (ARRAY[ROW(1.00)], 'b'), (ARRAY[ROW(1.0)], 'c'), (ARRAY[ROW(1.0)], 'd'), (ARRAY[ROW(2.0)], 'e')`,
      ],
    ])('hold each row once when equal %s are written differently', async (_what, values) => {
      const sql = `SELECT n, name FROM (VALUES ${values}) v (n, name) ORDER BY n`;
      for (const limit of [1, 2, 3]) {
        const names: unknown[] = [];
        let answer = await query(`${sql} LIMIT ${limit}`);
        for (let page = 0; page < 6; page++) {
          names.push(...(answer.body as { name: string }[]).map(({ name }) => name));
          const next = answer.link('next');
          if (next === undefined) break;
          answer = await follow(next, one.key);
        }
        expect([limit, names]).toEqual([limit, ['a', 'b', 'c', 'd', 'e']]);
      }
    });

    it('show the rows that DISTINCT ON chooses by the order', async () => {
      const values = `(1, 'a', 1), (1, 'z', 2), (1, 'z', 1), (2, 'a', 1), (2, 'z', 2), (2, 'z', 1), (3, 'z', 1), (3, 'a', 2)`;
      const sql = `SELECT DISTINCT ON (k) k, v, n FROM (VALUES ${values}) t (k, v, n) ORDER BY k, v DESC`;
      for (const limit of [1, 2, 3])
        expect((await pages(`${sql} LIMIT ${limit}`)).rows.map((row) => JSON.parse(row) as unknown)).toEqual(
          [1, 2, 3].map((k) => ({ k, v: 'z', n: 1 })),
        );
    });

    it('come in the order of the query', async () => {
      for (const [sql, column] of [
        ['SELECT type, address FROM instances ORDER BY type DESC, address', 'type'],
        ['SELECT module, address FROM instances ORDER BY module DESC NULLS LAST', 'module'],
        ['SELECT module, address FROM instances ORDER BY module', 'module'],
      ] as const) {
        const member = (row: string) => (JSON.parse(row) as Record<string, unknown>)[column];
        expect((await pages(`${sql} LIMIT 2`)).rows.map(member)).toEqual((await directly(sql)).map(member));
      }
    });

    it('are those of one query: no token serves another, and none can be made', async () => {
      const q = 'SELECT address FROM instances ORDER BY address LIMIT 2';
      const next = new URL((await query(q)).link('next') ?? '');
      expect(next.origin).toBe(estate.backend.url);
      const page = next.searchParams.get('page') ?? '';
      expect((await query(q, { page })).status).toBe(200);
      const flipped = page.slice(0, -2) + (page.endsWith('A') ? 'B' : 'A') + page.slice(-1);
      for (const [other, token] of [
        ['SELECT address FROM resources ORDER BY address LIMIT 2', page],
        [`${q} `, page],
        [q, flipped],
        [q, 'nonsense'],
        [q, ''],
        [q, `${page.split('.')[0] ?? ''}.`],
      ] as const) {
        const { status, body } = await query(other, { page: token });
        expect([other, token, status, body.id]).toEqual([other, token, 400, 'APPLY_PAGE_ERR']);
      }
      expect((await query('SELECT address FROM instances LIMIT 2', { page })).body.id).toBe('APPLY_PAGE_ERR');
    });

    it('begin where OFFSET says, and do not lead before it', async () => {
      const all = (await rowsOf('SELECT address FROM instances ORDER BY address LIMIT 100')).map(
        (row) => row['address'],
      );
      const { rows } = await pages('SELECT address FROM instances ORDER BY address LIMIT 2 OFFSET 3');
      expect(rows.map((row) => (JSON.parse(row) as { address: string }).address)).toEqual(all.slice(3));
    });

    it('say when they are found by counting', async () => {
      const header = async (q: string) => (await query(q)).headers['mql-pagination-error'];
      expect(await header('SELECT type FROM instances ORDER BY address LIMIT 2')).toBe(
        'COLUMN_NOT_IN_ROW address',
      );
      expect(await header('SELECT type FROM instances ORDER BY lower(type) LIMIT 2')).toBe(
        'ORDER_BY_COL_NOT_IDENTIFIER',
      );
      expect(await header('SELECT type FROM instances ORDER BY type LIMIT 2')).toBeUndefined();
      expect(await header('SELECT type FROM instances ORDER BY lower(type) LIMIT 100')).toBeUndefined();
    });
  });

  describe('what depends on what', () => {
    it('is the same in edges, in dependencies and in the lists of the API', async () => {
      for (const state of [one.network, one.application]) {
        const listed = (
          await estate.backend.api('GET', `/states/${state}/instances?limit=1000`, { key: one.key })
        ).json() as {
          results: { address: string; dependencies: string[] }[];
        };
        const expected = listed.results.map(({ address, dependencies }) => ({
          address,
          dependencies: [...dependencies].sort(),
        }));
        expect(
          await rowsOf(
            `SELECT address, dependencies FROM instances WHERE state_id = '${state}' ORDER BY address LIMIT 1000`,
          ),
        ).toEqual(expected);
        const edges = await rowsOf(
          `SELECT from_address, to_address FROM edges WHERE state_id = '${state}' AND to_state_id = '${state}' ORDER BY 1, 2 LIMIT 1000`,
        );
        expect(edges).toEqual(
          expected.flatMap(({ address, dependencies }) =>
            dependencies.map((to) => ({ from_address: address, to_address: to })),
          ),
        );
      }
    });

    it('reaches the instance of another state whose output is read', async () => {
      expect(await rowsOf('SELECT * FROM edges WHERE state_id <> to_state_id')).toEqual([
        {
          state_id: one.application,
          from_address: 'data.terraform_remote_state.network',
          to_state_id: one.network,
          to_address: 'aws_vpc.main',
        },
      ]);
    });
  });

  describe('history', () => {
    const history = (address: string) =>
      rowsOf(`SELECT h.attributes -> 'size' AS size, h.valid_from_tx, h.valid_to_tx, f.version AS from_version, h.from_version AS since, h.to_version, h.valid_from = f.created_at AS begins
              FROM instances_history h LEFT JOIN state_versions f ON f.state_id = h.state_id AND f.tx_id = h.valid_from_tx
              WHERE h.address = '${address}' ORDER BY h.from_version`);

    it('keeps what a write changed or removed, with both transactions, and nothing of what stayed', async () => {
      const versions = await rowsOf(
        `SELECT version, tx_id, created_at FROM state_versions WHERE state_id = '${one.network}' ORDER BY version`,
      );
      const [first, second] = versions.map((row) => row['tx_id']);
      expect(await history('aws_subnet.main[1]')).toEqual([
        {
          size: 1,
          valid_from_tx: first,
          valid_to_tx: second,
          from_version: 1,
          since: 1,
          to_version: 2,
          begins: true,
        },
        {
          size: 2,
          valid_from_tx: second,
          valid_to_tx: null,
          from_version: 2,
          since: 2,
          to_version: null,
          begins: true,
        },
      ]);
      expect(await history('aws_subnet.main[0]')).toMatchObject([{ since: 1, to_version: null }]);
      expect(await history('module.storage["a"].aws_s3_bucket.main["old"]')).toMatchObject([
        { since: 1, to_version: 2, valid_to_tx: second },
      ]);
      const { rows } = await estate.backend.service.pool.query<{ n: number }>(
        'SELECT count(*)::int AS n FROM instance_history WHERE state_id = $1',
        [one.network],
      );
      expect(rows).toEqual([{ n: 2 }]);
    });

    it('tells the estate as it was at any time', async () => {
      const at = (
        await rowsOf(
          `SELECT created_at FROM state_versions WHERE state_id = '${one.network}' AND version = 1`,
        )
      )[0]?.['created_at'] as string;
      const then = await rowsOf(
        `SELECT count(*) AS n FROM instances_history WHERE state_id = '${one.network}' AND valid_from <= '${at}' AND (valid_to IS NULL OR valid_to > '${at}')`,
      );
      expect(then).toEqual([{ n: 7 }]);
      expect(await rowsOf(`SELECT count(*) AS n FROM instances WHERE state_id = '${one.network}'`)).toEqual([
        { n: 6 },
      ]);
    });

    it('goes as far back as documents are kept, and keeps the times of what is still there', async () => {
      const state = await estate.backend.aState({ tenant_id: one.tenantId, name: 'pruned' });
      for (const serial of [1, 2])
        await write(estate.backend, state.address, { ...networkOf('alpha', serial), lineage: 'pruned' });
      const rows = () =>
        rowsOf(`SELECT from_version, to_version, valid_from IS NULL AS timeless, count(*) AS n FROM instances_history
                WHERE state_id = '${state.id}' GROUP BY 1, 2, 3 ORDER BY 1, 2 LIMIT 10`);
      const stayed = [
        { from_version: 1, to_version: null, timeless: false, n: 5 },
        { from_version: 2, to_version: null, timeless: false, n: 1 },
      ];
      expect(await rows()).toEqual([{ from_version: 1, to_version: 2, timeless: false, n: 2 }, ...stayed]);
      await estate.backend.service.pool.query(
        'DELETE FROM state_versions WHERE state_id = $1 AND version = 1',
        [state.id],
      );
      expect(await rows()).toEqual(stayed);
      await estate.backend.api('DELETE', `/states/${state.id}`);
    });

    it('survives that a document cannot be read, and a decomposition that is made again', async () => {
      const state = await estate.backend.aState({ tenant_id: one.tenantId, name: 'history' });
      await write(estate.backend, state.address, { ...networkOf('alpha', 1), lineage: 'history' });
      const { pool } = estate.backend.service;
      const counts = async () =>
        (
          await pool.query(
            `SELECT since, NULL AS until, count(*)::int AS n FROM instances WHERE state_id = $1 GROUP BY since
                           UNION ALL SELECT since, until, count(*)::int FROM instance_history WHERE state_id = $1 GROUP BY since, until ORDER BY 1, 2 NULLS FIRST`,
            [state.id],
          )
        ).rows;
      expect(await counts()).toEqual([{ since: 1, until: null, n: 7 }]);
      // The rows are of an older form: the next write makes all of them again.
      await pool.query('UPDATE states SET graph_format = 0 WHERE id = $1', [state.id]);
      await write(estate.backend, state.address, { ...networkOf('alpha', 2), lineage: 'history' });
      expect(await counts()).toEqual([
        { since: 1, until: null, n: 5 },
        { since: 1, until: 2, n: 2 },
        { since: 2, until: null, n: 1 },
      ]);
      const removed = await estate.backend.api('DELETE', `/states/${state.id}`);
      expect(removed.status).toBeLessThan(300);
      expect(await counts()).toEqual([]);
      expect(
        (await pool.query('SELECT FROM state_version_times WHERE state_id = $1', [state.id])).rows,
      ).toEqual([]);
    });
  });
});
