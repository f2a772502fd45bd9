import type { PreparedStatement } from '../../platform/database/unit-of-work.js';

export interface KvIteration {
  /** first key that counts; without `after`, rows from (`start`, `idx`) on */
  start: string;
  idx: number;
  /** whether the row at (start, idx) itself is left out */
  after: boolean;
  /** first key behind the range; undefined: no end */
  end: string | undefined;
  visible: 'all' | 'system' | 'plain';
  committed: boolean;
  limit: number;
  includeData: boolean;
}

export type Statement = PreparedStatement;

// Every statement begins with $1 provider, $2 installation id, $3 the caller's capabilities (jsonb), and $4 the tenants of
// the caller, to one of which the installation must be linked (null: entry was decided before).
const IN_NAMESPACE = 'r.provider = $1 AND r.installation_id = $2';
const MAY_ENTER = `($4::uuid[] IS NULL OR EXISTS (SELECT FROM installations i
  WHERE i.provider = $1 AND i.installation_id = $2 AND i.tenant_id = ANY ($4::uuid[])))`;
const NAMESPACE = `${IN_NAMESPACE} AND ${MAY_ENTER}`;
const READABLE = '(r.read_caps IS NULL OR r.read_caps <@ $3::jsonb)';
const WRITABLE_ROW = '(r.write_caps IS NULL OR r.write_caps <@ $3::jsonb)';
const COLUMNS = 'r.key, r.idx, r.version, r.committed, r.created_at, r.size, r.read_caps, r.write_caps';
const VALUES = `INSERT INTO kv_records AS r
  (provider, installation_id, key, idx, data, version, committed, read_caps, write_caps)
  SELECT $1::text, $2::text, $5::text, $6::smallint, $7::text, 0, $8::boolean, $9::jsonb, $10::jsonb
  FROM (SELECT $3::jsonb) caller WHERE ${MAY_ENTER}`;
const REPLACED = `data = $7, version = r.version + 1, committed = $8, read_caps = $9::jsonb, write_caps = $10::jsonb,
  created_at = now()`;

export const PUT: Statement = {
  name: 'kv_put',
  text: `${VALUES} ON CONFLICT (provider, installation_id, key, idx)
    DO UPDATE SET ${REPLACED} WHERE ${READABLE} AND ${WRITABLE_ROW} RETURNING ${COLUMNS}`,
};

export const INSERT: Statement = {
  name: 'kv_insert',
  text: `${VALUES} ON CONFLICT DO NOTHING RETURNING ${COLUMNS}`,
};

export const REPLACE: Statement = {
  name: 'kv_replace',
  text: `UPDATE kv_records r SET ${REPLACED}
    WHERE ${NAMESPACE} AND r.key = $5 AND r.idx = $6 AND r.version = $11 AND ${READABLE} AND ${WRITABLE_ROW}
    RETURNING ${COLUMNS}`,
};

export const WRITABLE: Statement = {
  name: 'kv_writable',
  text: `SELECT ${WRITABLE_ROW} AS writable FROM kv_records r
    WHERE ${NAMESPACE} AND r.key = $5 AND r.idx = $6 AND ${READABLE}`,
};

export const FIND: Statement = {
  name: 'kv_find',
  text: `SELECT ${COLUMNS}, r.data FROM kv_records r
    WHERE ${NAMESPACE} AND r.key = $5 AND r.idx = $6 AND (r.committed OR NOT $7::boolean) AND ${READABLE}`,
};

// The rows are locked in the order of their keys, as a commit locks them, so that the two never deadlock.
export const REMOVE: Statement = {
  name: 'kv_remove',
  text: `WITH target AS MATERIALIZED (
      SELECT r.idx, ${WRITABLE_ROW} AS writable FROM kv_records r
      WHERE ${NAMESPACE} AND r.key = $5 AND ($6::smallint IS NULL OR r.idx = $6)
        AND ($7::bigint IS NULL OR r.version = $7) AND ${READABLE}
      ORDER BY r.key, r.idx FOR UPDATE),
    removed AS (
      DELETE FROM kv_records r USING target t
      WHERE ${IN_NAMESPACE} AND r.key = $5 AND r.idx = t.idx AND NOT EXISTS (SELECT FROM target WHERE NOT writable)
      RETURNING 1)
    SELECT (SELECT count(*)::int FROM removed) AS removed,
      EXISTS (SELECT FROM target WHERE NOT writable) AS refused`,
};

export const MEASURE: Statement = {
  name: 'kv_measure',
  text: `SELECT count(*)::int AS count, coalesce(max(r.idx), 0)::int AS max_idx, coalesce(sum(r.size), 0) AS size
    FROM kv_records r WHERE ${NAMESPACE} AND r.key = $5 AND ($6::smallint IS NULL OR r.idx = $6)
      AND (r.committed OR NOT $7::boolean) AND ${READABLE}`,
};

// $5 whole keys, $6 and $7 single rows. The keys are looked up one by one: a namespace may have millions.
export const COMMIT: Statement = {
  name: 'kv_commit',
  text: `WITH wanted AS (
      SELECT key, NULL::smallint AS idx FROM unnest($5::text[]) AS whole (key)
      UNION SELECT key, idx FROM unnest($6::text[], $7::smallint[]) AS single (key, idx)),
    target AS MATERIALIZED (
      SELECT r.key, r.idx, r.committed, ${WRITABLE_ROW} AS writable
      FROM wanted w JOIN kv_records r ON ${NAMESPACE} AND r.key = w.key COLLATE "C" AND (w.idx IS NULL OR r.idx = w.idx)
      WHERE ${READABLE} ORDER BY r.key, r.idx FOR UPDATE OF r),
    changed AS (
      UPDATE kv_records r SET committed = true FROM target t
      WHERE ${IN_NAMESPACE} AND r.key = t.key AND r.idx = t.idx AND NOT t.committed
        AND NOT EXISTS (SELECT FROM target WHERE NOT writable)
      RETURNING r.key, r.idx)
    SELECT c.key, c.idx, false AS refused FROM changed c
    UNION ALL SELECT NULL, NULL, true WHERE EXISTS (SELECT FROM target WHERE NOT writable)
    ORDER BY 1, 2`,
};

// Locks in the order of the keys, as commits do.
export const REMOVE_NAMESPACE = `WITH target AS MATERIALIZED (
    SELECT r.key, r.idx FROM kv_records r WHERE ${IN_NAMESPACE} ORDER BY r.key, r.idx FOR UPDATE)
  DELETE FROM kv_records r USING target t WHERE ${IN_NAMESPACE} AND r.key = t.key AND r.idx = t.idx`;

/** $5 start, $6 idx, $7 committed only, $8 rows plus one, and with data $9 bytes; then the bounds that there are. */
export function iteration(options: KvIteration): { statement: Statement; parameters: unknown[] } {
  const { after, end, visible, includeData } = options;
  const parameters: unknown[] = [];
  const first = includeData ? 10 : 9;
  const conditions = [`(r.key, r.idx) ${after ? '>' : '>='} ($5, $6::integer)`];
  if (end !== undefined) conditions.push(`r.key < $${first}`);
  if (end !== undefined) parameters.push(end);
  if (visible === 'plain') conditions.push(`(r.key < 'system/' OR r.key >= 'system0')`);
  if (visible === 'system') conditions.push(`r.key >= 'system/' AND r.key < 'system0'`);
  const page = `SELECT ${COLUMNS}${includeData ? ', r.data' : ''} FROM kv_records r
    WHERE ${NAMESPACE} AND ${conditions.join(' AND ')} AND (r.committed OR NOT $7::boolean) AND ${READABLE}
    ORDER BY r.key, r.idx LIMIT $8`;
  const text = includeData
    ? `SELECT ${COLUMNS}, r.data, r.found FROM (
        SELECT p.*, sum(p.size) OVER (ORDER BY p.key, p.idx) AS total, row_number() OVER (ORDER BY p.key, p.idx) AS place,
          count(*) OVER ()::int AS found FROM (${page}) p) r
      WHERE r.total <= $9::bigint OR r.place = 1 ORDER BY r.key, r.idx`
    : `SELECT p.*, count(*) OVER ()::int AS found FROM (${page}) p ORDER BY p.key, p.idx`;
  const name = [
    'kv_iter',
    after ? 'after' : 'from',
    end === undefined ? 'open' : 'to',
    visible,
    includeData ? 'data' : 'keys',
  ];
  return { statement: { name: name.join('_'), text }, parameters };
}
