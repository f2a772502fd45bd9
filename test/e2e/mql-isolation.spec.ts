import { beginningOf } from '../../src/modules/mql/execution/query-sessions.js';
import { GREEDY, HOSTILE, SEEKING } from '../support/hostile-queries.js';
import { aQueryEstate, ask, inScope, type QueryEstate, type Side, type SqlAnswer } from '../support/mql.js';

const READER = 'service_mql';

describe('SQL of one tenant', () => {
  let estate: QueryEstate;
  let one: Side;
  let other: Side;
  beforeAll(async () => {
    estate = await aQueryEstate({ env: { SERVICE_MQL_TIMEOUT_SECONDS: '3' } });
    ({ one, other } = estate);
  });
  afterAll(() => estate.stop());

  const pool = () => estate.backend.service.pool;
  const viewsOf = async (): Promise<string[]> => {
    const { rows } = await pool().query<{ viewname: string }>(
      `SELECT viewname FROM pg_views WHERE schemaname = 'mql' ORDER BY 1`,
    );
    return rows.map((row) => row.viewname);
  };

  describe('through the API', () => {
    it('refuses every hostile statement with 4xx, quickly, and tells nothing of other tenants', async () => {
      const wrong: string[] = [];
      for (const q of Object.values(HOSTILE).flat()) {
        const answer = await ask(estate.backend.url, one.key, q);
        const { text } = answer;
        const fine = answer.status >= 400 && answer.status < 500 && answer.milliseconds < 2000;
        // 431: the address is longer than any query may be.
        const told = answer.status === 431 || answer.body?.id !== undefined;
        if (!fine || text.includes(other.mark) || !told)
          wrong.push(
            `${q.slice(0, 80)}: ${answer.status} ${answer.milliseconds.toFixed(0)} ms ${text.slice(0, 100)}`,
          );
      }
      expect(wrong).toEqual([]);
    }, 120_000);

    it('stops what needs too much, and the service goes on', async () => {
      const wrong: string[] = [];
      for (const q of GREEDY) {
        const { status, body } = await ask(estate.backend.url, one.key, q);
        const rows = Array.isArray(body) ? body.length : 0;
        const bounded = status === 200 && rows <= 1000;
        if (!bounded && !['TIMEOUT_ERR', 'RESOURCE_LIMIT_ERR'].includes(body.id as string))
          wrong.push(`${q}: ${status} ${JSON.stringify(body).slice(0, 100)}`);
      }
      expect(wrong).toEqual([]);
      expect((await ask(estate.backend.url, one.key, 'SELECT 1 AS n')).body).toEqual([{ n: 1 }]);
    });

    it('stops what looks for long texts in long texts, which no timeout would', async () => {
      for (const q of SEEKING) {
        const { status, body } = await ask(estate.backend.url, one.key, q);
        expect([q, status, body]).toEqual([q, 400, { id: 'RESOURCE_LIMIT_ERR', data: expect.any(String) }]);
      }
    });

    it('stops what gathers too much while it gathers, whatever the planner thought', async () => {
      const many = Array.from({ length: 7 }, (_, i) => `instances b${i}`).join(', ');
      // Conditions that are always true, of which the planner believes that they leave one row in 200.
      const fooled = `${many} WHERE length(b0.address) * 0 = 0 AND length(b1.address) * 0 = 0 AND length(b2.address) * 0 = 0 AND length(b3.address) * 0 = 0`;
      for (const q of [
        `SELECT cardinality(array_agg(b0.attributes)) FROM ${fooled}`,
        `SELECT cardinality(array_agg(b0.attributes) FILTER (WHERE b1.address IS NOT NULL)) FROM ${fooled}`,
        `SELECT length(string_agg(b0.address, b1.address)) FROM ${fooled}`,
        `SELECT jsonb_typeof(jsonb_agg(replace(b0.type, 'a', '${'x'.repeat(64)}'))) FROM ${fooled}`,
        `SELECT jsonb_typeof(jsonb_object_agg(b0.address, replace('${'a'.repeat(32)}', 'a', '${'x'.repeat(64)}'))) FROM ${fooled}`,
        `SELECT cardinality(ARRAY(SELECT b0.attributes FROM ${fooled}))`,
        `SELECT cardinality(array_agg(b0.attributes) OVER ()) FROM ${fooled}`,
        `SELECT (SELECT cardinality(array_agg(b0.attributes)) FROM ${fooled}) FROM states`,
      ]) {
        const { status, body } = await ask(estate.backend.url, one.key, q);
        expect([q, status, body]).toEqual([
          q,
          400,
          { id: 'RESOURCE_LIMIT_ERR', data: expect.stringContaining('gathers too much') },
        ]);
      }
    });

    it('shows rows of the own tenant only, table by table', async () => {
      const { body } = await estate.backend
        .api('GET', '/mql/schema', { key: one.key })
        .then((answer) => ({ body: answer.json() as { tables: Record<string, unknown> } }));
      for (const table of Object.keys(body.tables)) {
        const seen: Set<string>[] = [];
        for (const side of [one, other]) {
          const { status, body: rows } = await ask(
            estate.backend.url,
            side.key,
            `SELECT * FROM ${table} LIMIT 1000`,
          );
          expect([table, status, (rows as unknown[]).length > 0]).toEqual([table, 200, true]);
          seen.push(new Set((rows as unknown[]).map((row) => JSON.stringify(row))));
          const foreign = side === one ? other : one;
          expect(JSON.stringify(rows)).not.toContain(foreign.mark);
          expect(JSON.stringify(rows)).not.toContain(foreign.tenantId);
        }
        expect([table, [...(seen[0] ?? [])].filter((row) => seen[1]?.has(row))]).toEqual([table, []]);
      }
    });

    it('finds nothing of the other tenant by joins, conditions and errors', async () => {
      const tries = [
        `SELECT * FROM states WHERE tenant_id = '${other.tenantId}'`,
        `SELECT * FROM instances WHERE state_id = '${other.network}'`,
        `SELECT * FROM instances WHERE attributes @> '{"note": "${other.mark}"}'`,
        `SELECT a.address FROM instances a JOIN instances b ON a.address = b.address WHERE a.state_id <> b.state_id AND b.attributes ->> 'note' = '${other.mark}'`,
        `SELECT * FROM edges WHERE to_state_id = '${other.network}'`,
        `SELECT * FROM outputs WHERE value::text LIKE '%${other.mark}%'`,
        `SELECT * FROM users WHERE name LIKE '${other.mark}%'`,
        `SELECT (SELECT max(name) FROM states WHERE name LIKE '${other.mark}%') AS n FROM tenants WHERE name LIKE '${other.mark}%'`,
      ];
      for (const q of tries) expect([q, (await ask(estate.backend.url, one.key, q)).body]).toEqual([q, []]);
      const cast = await ask(
        estate.backend.url,
        one.key,
        `SELECT (attributes ->> 'note')::int FROM instances`,
      );
      expect(cast.body).toEqual({ id: 'QUERY_ERR', data: expect.stringContaining(`"${one.mark}"`) });
    });

    it('does not depend on how many rows of a kind others have', async () => {
      await pool().query(
        `INSERT INTO instances (state_id, tenant_id, key, address, resource_address, mode, type, name, provider, create_before_destroy, attributes, hash, since)
         SELECT $1, $2, gen_random_uuid(), 'only_theirs.a[' || i || ']', 'only_theirs.a', 'managed', 'only_theirs', 'a', 'p', false, '{}', '', 1
         FROM generate_series(1, 10000) i`,
        [other.network, other.tenantId],
      );
      await pool().query('ANALYZE instances');
      try {
        // The statistics say that three such tables make 10^12 rows; the caller has none of them.
        for (const type of ['only_theirs', 'nobodys']) {
          const { status, body } = await ask(
            estate.backend.url,
            one.key,
            `SELECT count(*) AS n FROM instances a, instances b, instances c WHERE a.type = '${type}' AND b.type = '${type}' AND c.type = '${type}'`,
          );
          expect([type, status, body]).toEqual([type, 200, [{ n: 0 }]]);
        }
      } finally {
        await pool().query(`DELETE FROM instances WHERE type = 'only_theirs'`);
        await pool().query('ANALYZE instances');
      }
    });

    it('masks what is sensitive, and holds no secret', async () => {
      const tables = await viewsOf();
      for (const table of tables.filter((name) => !name.endsWith('_indexed'))) {
        const { text } = await ask(estate.backend.url, one.key, `SELECT * FROM ${table} LIMIT 1000`);
        expect([table, text.includes('secret-')]).toEqual([table, false]);
      }
    });

    it('lets two queries of one person run, and no third', async () => {
      const holder = await pool().connect();
      await holder.query('BEGIN; LOCK TABLE check_results IN ACCESS EXCLUSIVE MODE');
      const waiting = [1, 2, 3, 4].map(() => ask(estate.backend.url, one.key, 'SELECT * FROM check_results'));
      const refused: SqlAnswer[] = [];
      const full = await new Promise<SqlAnswer>((resolve) => {
        for (const each of waiting)
          void each.then((answer) => {
            if (answer.status === 429 && refused.push(answer) === 2) resolve(answer);
          });
      });
      await holder.query('ROLLBACK');
      holder.release();
      expect([full.status, full.body.id, full.headers['retry-after']]).toEqual([
        429,
        'RESOURCE_LIMIT_ERR',
        '1',
      ]);
      expect((await Promise.all(waiting)).map((answer) => answer.status).sort()).toEqual([
        200, 200, 429, 429,
      ]);
    });

    it('lets a credential that is tied to single states read nothing', async () => {
      const key = await estate.backend.aKey({ preview: { states: { [one.network]: ['outputs'] } } });
      expect((await ask(estate.backend.url, key, 'SELECT * FROM states')).body).toEqual([]);
    });
  });

  describe('by the role alone, with every statement let through and every tenant in scope', () => {
    const attempt = (sql: string) =>
      inScope(pool(), { tenants: '*' }, async (client) => {
        await client.query('SET LOCAL statement_timeout = 3000');
        const { rows } = await client.query<{ row: string }>('SELECT "row" FROM mql.run($1, 1000000)', [
          `SELECT row_to_json(x)::text, ARRAY[]::text[] FROM (${sql}) x`,
        ]);
        return rows.map(({ row }) => row).join('\n');
      });

    it('reads no table, whatever its schema', async () => {
      const { rows } = await pool().query<{ name: string }>(
        `SELECT format('%I.%I', schemaname, tablename) AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')
         UNION SELECT format('pg_catalog.%I', tablename) FROM pg_tables WHERE schemaname = 'pg_catalog' AND tablename IN ('pg_authid', 'pg_statistic', 'pg_user_mapping')`,
      );
      expect(rows.length).toBeGreaterThan(25);
      for (const { name } of rows)
        await expect(attempt(`SELECT * FROM ${name}`)).rejects.toMatchObject({ code: '42501' });
    });

    it('may select from the views, execute their functions, and nothing else', async () => {
      const { rows } = await pool().query<{ kind: string; name: string }>(
        `SELECT 'relation' AS kind, c.oid::regclass::text AS name FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
         WHERE n.nspname NOT IN ('pg_catalog', 'information_schema') AND c.relkind IN ('r', 'v', 'm', 'p', 'S', 'f')
           AND has_table_privilege('${READER}', c.oid, 'INSERT, UPDATE, DELETE, TRUNCATE, REFERENCES, TRIGGER')
         UNION ALL
         SELECT 'schema', n.nspname FROM pg_namespace n WHERE has_schema_privilege('${READER}', n.oid, 'CREATE')
         UNION ALL
         SELECT 'role', r.rolname FROM pg_roles r WHERE r.rolname = '${READER}' AND (r.rolcanlogin OR r.rolsuper OR r.rolcreaterole OR r.rolcreatedb OR r.rolbypassrls)
         UNION ALL
         SELECT 'membership', m.roleid::regrole::text FROM pg_auth_members m WHERE m.member = '${READER}'::regrole
         UNION ALL
         SELECT 'definer', p.oid::regprocedure::text FROM pg_proc p WHERE p.prosecdef AND has_function_privilege('${READER}', p.oid, 'EXECUTE')`,
      );
      expect(rows.map(({ kind, name }) => `${kind} ${name}`).sort()).toEqual([
        'definer mql.run(text,bigint)',
        'definer mql.scope_text()',
        'definer mql.tenant_ids()',
      ]);
    });

    it.each([
      [`SELECT set_config('role', 'service', true)`, /security-definer|cannot set parameter/],
      [
        `SELECT set_config('session_authorization', 'service', true)`,
        /cannot set parameter|permission denied/,
      ],
      [`SELECT query_to_xml('SELECT * FROM public.users', true, true, '')`, /permission denied/],
      [`SELECT pg_read_file('/etc/passwd')`, /permission denied/],
      [`SELECT pg_ls_dir('/')`, /permission denied/],
      [`SELECT lo_import('/etc/passwd')`, /permission denied/],
      [`SELECT public.query_scope('*')`, /permission denied/],
      [`SELECT public.query_scope_mac('*')`, /permission denied/],
      [
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()`,
        /permission denied|must be a superuser/i,
      ],
      [
        `WITH d AS (DELETE FROM mql.states RETURNING id) SELECT * FROM d`,
        /not allowed in a non-volatile function|permission denied|must be at the top level/,
      ],
    ])('cannot be left: %s', async (sql, reason) => {
      await expect(attempt(sql)).rejects.toThrow(reason);
    });

    it.each([
      'DELETE FROM mql.states',
      'DROP TABLE public.states',
      'CREATE TABLE mql.x (a int)',
      'SET ROLE service',
      'COPY (SELECT 1) TO PROGRAM $$id$$',
    ])('cannot change anything: %s', async (sql) => {
      const run = inScope(pool(), { tenants: '*' }, (client) =>
        client.query('SELECT * FROM mql.run($1, 1)', [sql]),
      );
      await expect(run).rejects.toThrow();
    });
  });

  describe('by the signed scope and the barrier alone, with every statement let through', () => {
    const visible = (tenants: readonly string[], sql: string) =>
      inScope(pool(), { tenants, as: READER }, async (client) =>
        JSON.stringify((await client.query(sql)).rows),
      );

    it('shows in each view of the catalogue rows of the own tenant only', async () => {
      const views = await viewsOf();
      expect(views.length).toBeGreaterThan(12);
      for (const view of views) {
        const both = await visible(
          [one.tenantId, other.tenantId],
          `SELECT count(*)::int AS n FROM mql.${view}`,
        );
        const [a, b] = [
          await visible([one.tenantId], `SELECT to_jsonb(x) AS x FROM mql.${view} x`),
          await visible([other.tenantId], `SELECT to_jsonb(x) AS x FROM mql.${view} x`),
        ];
        expect([view, a === '[]', b === '[]', a.includes(other.mark), b.includes(one.mark)]).toEqual([
          view,
          false,
          false,
          false,
          false,
        ]);
        const rows = (text: string) => JSON.parse(text) as unknown[];
        expect([view, JSON.parse(both)]).toEqual([view, [{ n: rows(a).length + rows(b).length }]]);
        expect(await visible([], `SELECT count(*)::int AS n FROM mql.${view}`)).toBe('[{"n":0}]');
      }
    });

    it('has the definitions of the catalogue and of the views agree', async () => {
      const { rows } = await pool().query<{ view: string; options: string[] | null }>(
        `SELECT relname AS view, reloptions AS options FROM pg_class WHERE relnamespace = 'mql'::regnamespace AND relkind = 'v'`,
      );
      expect(rows.filter(({ options }) => !options?.includes('security_barrier=true'))).toEqual([]);
    });

    it('cannot be forged, widened, or carried into another transaction', async () => {
      const genuine = await inScope(pool(), { tenants: [one.tenantId] }, async (client) =>
        String((await client.query<{ s: string }>(`SELECT current_setting('mql.scope') AS s`)).rows[0]?.s),
      );
      const mac = genuine.slice(0, 64);
      const forged = [
        genuine,
        `${mac} *`,
        `${mac} ${other.tenantId}`,
        `${mac} ${one.tenantId},${other.tenantId}`,
        `${'0'.repeat(64)} *`,
        '*',
        '',
        ' *',
        mac,
        `${mac} `,
        `${genuine} `,
        genuine.toUpperCase(),
        `{${other.tenantId}}`,
        `${mac}\n*`,
      ];
      for (const scope of forged) {
        const refused = inScope(pool(), { tenants: [one.tenantId], as: READER }, async (client) => {
          await client.query(`SELECT set_config('mql.scope', $1, true)`, [scope]);
          return client.query('SELECT * FROM mql.states');
        });
        await expect(refused).rejects.toMatchObject({ code: '42501' });
      }
      await expect(
        inScope(pool(), { as: READER }, (client) => client.query('SELECT * FROM mql.states')),
      ).rejects.toMatchObject({ code: '42501' });
    });

    it('cannot be forged in the middle of a query either', async () => {
      const sql = `WITH x AS MATERIALIZED (SELECT set_config('mql.scope', '${'0'.repeat(64)} *', false) AS s) SELECT s, (SELECT count(*) FROM mql.states) FROM x`;
      const answer = await visible([one.tenantId], sql).catch((error: Error) => error.message);
      expect(answer).toMatch(/no valid scope|"count":"2"/);
    });

    it('gives a function that tells what it sees no row of another tenant', async () => {
      await pool()
        .query(`CREATE OR REPLACE FUNCTION public.telltale(text) RETURNS boolean LANGUAGE plpgsql COST 0.0000001
        AS $$ BEGIN RAISE NOTICE 'saw %', $1; RETURN true; END $$`);
      const heard: string[] = [];
      await inScope(pool(), { tenants: [one.tenantId], as: READER }, async (client) => {
        client.on('notice', (notice) => heard.push(notice.message ?? ''));
        await client.query('SELECT name FROM mql.states WHERE public.telltale(name)');
        await client.query(`SELECT 1 FROM mql.instances WHERE public.telltale(attributes ->> 'note')`);
        await client.query(
          `SELECT 1 FROM mql.instances_indexed WHERE public.telltale(attributes ->> 'note')`,
        );
        await client.query('SELECT 1 FROM mql.users WHERE public.telltale(name)');
      });
      expect(heard.filter((line) => line.includes(one.mark)).length).toBeGreaterThan(5);
      expect(heard.filter((line) => line.includes(other.mark))).toEqual([]);
    });
  });

  describe('by the transaction alone, as the owner of every table', () => {
    const begin = beginningOf(1);

    it.each([
      'DELETE FROM public.states',
      'CREATE TABLE public.x (a int)',
      `SELECT nextval('public.audit_entries_id_seq')`,
      'CREATE TEMP TABLE x (a int)',
    ])('refuses %s', async (sql) => {
      await expect(inScope(pool(), { begin }, (client) => client.query(sql))).rejects.toMatchObject({
        code: '25006',
      });
    });

    it('a statement ends at the timeout of its transaction', async () => {
      await expect(
        inScope(pool(), { begin }, (client) => client.query('SELECT pg_sleep(10)')),
      ).rejects.toMatchObject({ code: '57014' });
    });

    it('refuses a result that is too large', async () => {
      const query = 'SELECT row_to_json(x)::text, ARRAY[]::text[] FROM (SELECT address FROM mql.instances) x';
      const run = (bytes: number) =>
        inScope(pool(), { begin, tenants: [one.tenantId] }, (client) =>
          client.query('SELECT * FROM mql.run($1, $2)', [query, bytes]),
        );
      await expect(run(40)).rejects.toMatchObject({ code: 'MQ002' });
      expect((await run(1e6)).rows.length).toBeGreaterThan(0);
    });

    it('has little memory, a fixed search path, and a limit on temporary files', async () => {
      const { rows } = await inScope(pool(), { begin }, (client) =>
        client.query(
          `SELECT current_setting('work_mem') AS memory, current_setting('search_path') AS path, has_parameter_privilege('temp_file_limit', 'SET') AS limited`,
        ),
      );
      expect(rows).toEqual([{ memory: '32MB', path: 'pg_catalog, mql, pg_temp', limited: true }]);
    });
  });
});
