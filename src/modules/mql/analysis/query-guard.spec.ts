import { loadModule } from 'libpg-query';
import { HOSTILE } from '../../../../test/support/hostile-queries.js';
import { canonicalText } from './canonical-text.js';
import { positionIn, QueryRefused } from '../mql.errors.js';
import { pageQuery } from '../paging/page-query.js';
import { checkQuery } from './query-guard.js';
import { QueryTables } from '../tables/query-tables.js';

const tables = new QueryTables().all;

function refusalOf(query: string): QueryRefused | undefined {
  try {
    pageQuery(checkQuery(query, tables), undefined);
    return undefined;
  } catch (error) {
    if (error instanceof QueryRefused) return error;
    throw error;
  }
}

const canonical = (query: string) => canonicalText(checkQuery(query, tables).statement).sql;

describe('The tree walk', () => {
  beforeAll(() => loadModule());

  const hostile = Object.values(HOSTILE).flat();

  it('is tried with more than 150 hostile statements', () => {
    expect(new Set(hostile).size).toBeGreaterThan(150);
  });

  it.each(hostile.map((query) => [query.slice(0, 100), query]))('refuses %j', (_shown, query) => {
    expect(refusalOf(query)).toBeInstanceOf(QueryRefused);
  });

  it.each([
    ['SELECT 1'],
    ['SELECT count(*) FROM instances'],
    ['SELECT i.*, s.name FROM instances i JOIN states s ON s.id = i.state_id'],
    [
      'SELECT type, count(*) FILTER (WHERE mode = $$data$$) FROM instances GROUP BY 1 HAVING count(*) > 1 ORDER BY 2 DESC NULLS LAST',
    ],
    ['SELECT DISTINCT ON (type) type, address FROM instances ORDER BY type, address'],
    [
      'WITH a AS (SELECT type FROM instances), b AS MATERIALIZED (SELECT * FROM a) SELECT * FROM a JOIN b USING (type)',
    ],
    [
      'SELECT address FROM instances UNION ALL SELECT address FROM resources EXCEPT SELECT from_address FROM edges',
    ],
    [
      `SELECT attributes -> 'tags' ->> 'Name', attributes #>> '{a,b}' FROM instances WHERE attributes @> '{"a": 1}' AND attributes ? 'x'`,
    ],
    ['SELECT e.key, e.value FROM instances i, jsonb_each(i.attributes) e'],
    [`SELECT t ->> 'a' FROM instances, jsonb_array_elements(attributes -> 'x') t`],
    ['SELECT u, n FROM instances, unnest(dependencies) WITH ORDINALITY AS d (u, n)'],
    ['SELECT address FROM instances i WHERE EXISTS (SELECT 1 FROM edges e WHERE e.from_address = i.address)'],
    ['SELECT (SELECT count(*) FROM instances i WHERE i.state_id = s.id) AS n FROM states s'],
    [
      'SELECT rank() OVER (PARTITION BY type ORDER BY address ROWS BETWEEN 1 PRECEDING AND CURRENT ROW) FROM instances',
    ],
    ['SELECT percentile_cont(0.5) WITHIN GROUP (ORDER BY instance_count) FROM resources'],
    [
      `SELECT CASE WHEN deposed IS NULL THEN 'live' ELSE 'deposed' END, coalesce(module, 'root'), nullif(status, 'x') FROM instances`,
    ],
    [
      `SELECT date_trunc('day', created_at AT TIME ZONE 'Europe/Berlin'), extract(year FROM created_at) FROM states`,
    ],
    [
      `SELECT address FROM instances WHERE address LIKE 'a%' AND type ILIKE '%x' AND module SIMILAR TO 'x' OR serial BETWEEN 1 AND 2`.replace(
        'serial',
        'schema_version',
      ),
    ],
    [
      `SELECT address FROM instances WHERE (type, mode) IN (('a', 'b'), ('c', 'd')) AND type = ANY (ARRAY['a', 'b'])`,
    ],
    ['SELECT * FROM (VALUES (1, 2), (3, 4)) v (a, b) WHERE a IS DISTINCT FROM b'],
    ['SELECT now() - interval $$1 day$$, current_date, current_timestamp'],
    ['SELECT dependencies[1], index_key::text::int + 1 FROM instances'],
    ['SELECT r.address FROM resources r NATURAL JOIN providers p'],
    ['SELECT name FROM states ORDER BY lower(name), created_at DESC LIMIT 5 OFFSET 10'],
    ['select "address" from "instances" as "I"'],
    [
      `SELECT jsonb_agg(jsonb_build_object('state', jsonb_build_object('id', state_id, 'tags', attributes -> 'tags'), 'address', address, 'type', type)) FROM instances`,
    ],
    [
      `SELECT address FROM instances WHERE type = ANY (ARRAY[${Array.from({ length: 150 }, (_, i) => `'t${i}'`).join(',')}])`,
    ],
    [
      `SELECT jsonb_path_query_array(attributes, '$.** ? (@.type() == "string" && @ like_regex "a[b,c]")') FROM instances`,
    ],
    [
      `SELECT to_char(created_at, 'YYYY-MM-DD'), array_to_string(ARRAY(SELECT i.address FROM instances i), ', ', '-') FROM states`,
    ],
    [
      `SELECT a.address FROM instances a JOIN modules m ON a.address LIKE m.name || '.%' WHERE strpos(a.address, m.name) = 1 AND position('x' IN a.type) = 0`,
    ],
    [
      `SELECT a.address FROM instances a, instances b WHERE a.dependencies @> ARRAY[b.address] AND a.attributes @> jsonb_build_object('vpc_id', b.attributes ->> 'id') AND b.dependencies && ARRAY['x', a.address]`,
    ],
    [
      `SELECT replace(address, 'a', 'b'), split_part(address, '.', 2), string_to_array(address, '.'), trim(both '"' FROM address), attributes - 'tags' - ARRAY['a', 'b'], attributes - '{a,b}'::text[], attributes ?| ARRAY['a', 'b'] FROM instances WHERE attributes ->> 'x' LIKE 'a%' AND attributes::text ILIKE '%public%' AND address LIKE ANY (ARRAY['%a%', '%b']) AND type ^@ mode`,
    ],
    [
      `SELECT now() - created_at, 100.0 * count(*) / sum(serial), avg(serial) * 1.5, sum((lineage)::numeric) / count(*) FROM states GROUP BY 1`,
    ],
    [
      `SELECT a.n, a.n * 100.0 / b.n, (a.x - b.x) / 2 FROM (SELECT count(*) AS n, max(attributes ->> 'size')::numeric AS x FROM instances) a, (SELECT count(*) AS n, 1.5e3 AS x FROM instances) b`,
    ],
    [
      `SELECT ${Array.from({ length: 10 }, () => 'address').join(" || ', ' || ")} AS a, ${Array.from({ length: 8 }, () => 'type').join(" || '/' || ")} AS b FROM instances`,
    ],
    [`SELECT (attributes ->> 'policy')::jsonb -> 'Statement' FROM instances WHERE '12e4567' <> address`],
    [
      `SELECT attributes @? '$.ingress[*] ? (@.from_port <= 22 && 22 <= @.to_port || @."a" == "b c" || @.x == true).cidr' FROM instances`,
    ],
    [
      `SELECT address FROM instances WHERE ${Array.from({ length: 40 }, (_, i) => `address LIKE '%bucket_${i}%'`).join(' OR ')}`,
    ],
    [`SELECT name FROM states WHERE to_jsonb(name)::text LIKE 'a#%' ESCAPE '#' OR ROW(name, id)::text <> ''`],
  ])('lets through %s', (query) => {
    expect(refusalOf(query)).toBeUndefined();
  });

  it('says where, in the characters of the text, and what was meant', () => {
    const query = `SELECT 'ä' AS "ä", adress FROM instances`;
    const refusal = refusalOf(query);
    expect(refusal?.message).toBe('column "adress" does not exist, did you mean "address"?');
    expect(positionIn(query, refusal?.location ?? 0)).toBe(20);
    expect(refusalOf('SELECT * FROM instance')?.message).toContain('did you mean "instances"?');
    expect(refusalOf('SELECT cuont(*) FROM instances')?.message).toContain('did you mean "count"?');
    expect(refusalOf('SELECT x.address FROM instances i')?.message).toContain('there is no table "x"');
  });

  it('names the kind of each refusal', () => {
    const kinds = [
      ['SELECT * FROM nothing', 'TABLE_ACCESS_ERR'],
      ['SELECT * FROM public.states', 'TABLE_ACCESS_ERR'],
      ['SELECT pg_sleep(1)', 'FUNC_ACCESS_ERR'],
      ['SELECT nothing FROM states', 'UNKNOWN_COLUMN_ERR'],
      [`SELECT 'x'::regclass`, 'CAST_ERR'],
      ['SELEC 1', 'QUERY_ERR'],
    ];
    expect(kinds.map(([query = '']) => [query, refusalOf(query)?.id])).toEqual(kinds);
  });

  it('sends columns instead of stars, views instead of tables, and never a name twice', () => {
    expect(canonical('SELECT p.*, * FROM providers p')).toBe(
      'SELECT p.state_id AS state_id, p.name AS name, p.state_id AS state_id_2, p.name AS name_2 FROM mql.providers AS p',
    );
  });

  it('tells columns of one name apart where only a star can mean them', () => {
    expect(canonical('SELECT * FROM (SELECT s.name, t.name, s.id FROM states s, tenants t) q')).toContain(
      'SELECT q.name_1 AS name, q.name_2 AS name_2, q.id AS id FROM ( SELECT',
    );
    expect(canonical('WITH c AS (SELECT 1 AS x, 2 AS x) SELECT c.* FROM c')).toBe(
      'WITH c AS (SELECT 1 AS x, 2 AS x) SELECT c.x_1 AS x, c.x_2 AS x_2 FROM c AS c(x_1, x_2)',
    );
    for (const name of ['name', 'q.name', 'q.*, name'])
      expect(
        refusalOf(`SELECT ${name} FROM (SELECT s.name, t.name FROM states s, tenants t) q`)?.message,
      ).toContain('ambiguous');
  });

  it('numbers names that are as long as a name can be', () => {
    const name = 'ä'.repeat(31);
    expect(checkQuery(`SELECT 1 AS "${name}", 2 AS "${name}"`, tables).columns).toEqual([
      name,
      `${'ä'.repeat(30)}_2`,
    ]);
    expect(refusalOf(`SELECT 1 AS "${name}", 2 AS "${name}"`)).toBeUndefined();
  });

  it('does not take the columns of a WITH query for those of a table of that name', () => {
    expect(canonical('WITH states AS (SELECT 1 AS x) SELECT * FROM states')).toBe(
      'WITH states AS (SELECT 1 AS x) SELECT states.x AS x FROM states',
    );
    expect(refusalOf('WITH states AS (SELECT 1 AS x) SELECT name FROM states')?.id).toBe(
      'UNKNOWN_COLUMN_ERR',
    );
  });

  it('carries conditions through the barrier that an index can answer', () => {
    expect(
      canonical(`SELECT type FROM instances WHERE address LIKE 'module.a%' AND attributes @> '{"a":1}'`),
    ).toBe(
      `SELECT type AS type FROM mql.instances_indexed AS instances WHERE address LIKE 'module.a%' AND attributes @> '{"a":1}' ` +
        `AND instances.address_start >= 'module.a' AND instances.address_start < 'module.b' AND instances.attributes_contain_1`,
    );
    expect(
      checkQuery(`SELECT type FROM instances WHERE attributes @> '{"a":1}'`, tables).containments,
    ).toEqual(['{"a":1}']);
    expect(
      canonical(`SELECT type FROM instances i WHERE i.address = 'x' OR attributes @> 'no json'`),
    ).not.toContain('indexed');
  });

  it.each([
    ['SELECT array_agg(address) FROM instances', true],
    ['SELECT ARRAY(SELECT address FROM instances) FROM states', true],
    ['SELECT count(*) FROM instances WHERE EXISTS (SELECT 1 FROM edges)', false],
  ])('knows whether %s gathers rows', (query, gathers) => {
    expect(checkQuery(query, tables).collects).toBe(gathers);
  });

  it('looks a costly column up for the rows of the page only', () => {
    const page = pageQuery(
      checkQuery('SELECT address, dependencies FROM instances ORDER BY address', tables),
      undefined,
    );
    expect(page.inner.sql).toContain('instances.row_late AS dependencies');
    expect(page.sql).toContain('late.row_key = (page_row."dependencies")[2]');
  });
});
