import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { decodePageToken, encodePageToken } from '../../../platform/http/index.js';
import { ADDRESS_START, instanceConditions } from './instance-filter.js';
import { InstanceJson, type InstanceRow } from './instance-json.rules.js';
import { LoadedGraphs } from '../topology/loaded-graphs.js';
import { isUuid } from '../../../platform/text/uuid.js';

export interface InstancePage {
  /** JSON text of the rows: attributes are never parsed here */
  results: string;
  next: string | undefined;
}

/** A page ends early when it grows beyond this many characters; `count` on both sides makes long lists. */
const LARGEST_PAGE = 32 * 1024 * 1024;
const START_LENGTH = 512;
/** Measured: 6 ms, where a filter by type and attribute over 100,000 instances takes 50. */
const TRIED_FIRST = 4000;
/** Bytes of the text of attributes as far as PostgreSQL knows them without unpacking any: JSON shrinks to a tenth at best. */
const SIZE =
  'pg_column_size(i.attributes) * CASE WHEN pg_column_compression(i.attributes) IS NULL THEN 1 ELSE 16::bigint END';
const COLUMNS = `i.key, i.address, i.resource_address, i.mode, i.type, i.name, i.module, i.provider, i.index_key::text, i.deposed, i.status,
  i.schema_version, i.create_before_destroy, i.sensitive_attributes::text,
  (SELECT version FROM state_graphs WHERE state_id = $1) AS graph_version`;
const LARGE = `SELECT key, CASE WHEN sum(size) OVER (ORDER BY place) - size <= ${LARGEST_PAGE} THEN attributes::text END AS attributes
  FROM (SELECT i.key, i.attributes, ${SIZE} AS size, w.place FROM unnest($2::uuid[]) WITH ORDINALITY AS w (key, place)
        JOIN instances i ON i.state_id = $1 AND i.key = w.key OFFSET 0) l`;

/** A row of a page; null: its attributes are larger than its share of the page and were left out. */
type PageRow = Omit<InstanceRow, 'attributes'> & { attributes: string | null };

@Injectable()
export class InstanceQueries {
  constructor(
    private readonly work: UnitOfWork,
    private readonly graphs: LoadedGraphs,
  ) {}

  /** By address; one statement for the rows, and the decoded graph for what each depends on. */
  async list(stateId: string, q: string, limit: number, page: string | undefined): Promise<InstancePage> {
    const rows = await this.rows(stateId, q, limit + 1, page);
    const version = rows[0]?.graph_version ?? undefined;
    const json = new InstanceJson(
      version === undefined ? undefined : await this.graphs.find(stateId, version),
    );
    const large = await this.largeAttributes(stateId, rows);
    const texts: string[] = [];
    let size = 0;
    let last: PageRow | undefined;
    for (const row of rows.slice(0, limit)) {
      const attributes = row.attributes ?? large.get(row.key);
      if (attributes === null) break;
      // What was deleted since the page was read is passed over.
      const text = attributes === undefined ? '' : json.textOf(Object.assign(row, { attributes }));
      size += text.length;
      if (size > LARGEST_PAGE && texts.length > 0) break;
      if (text !== '') texts.push(text);
      last = row;
    }
    return {
      results: `[${texts.join(',')}]`,
      next: last && last !== rows.at(-1) ? tokenOf(last) : undefined,
    };
  }

  /** What a page leaves out, in its order, and null from where it would be too much: a page never is more than itself. */
  private async largeAttributes(
    stateId: string,
    rows: readonly PageRow[],
  ): Promise<Map<string, string | null>> {
    const keys = rows.filter((row) => row.attributes === null).map((row) => row.key);
    if (keys.length === 0) return new Map();
    const found = await this.work.query<{ key: string; attributes: string | null }>(LARGE, [stateId, keys]);
    return new Map(found.map((row) => [row.key, row.attributes]));
  }

  /**
   * A filter that many rows pass is soon satisfied in the order of the list, one that few pass is not: PostgreSQL cannot
   * tell them apart for attributes, and would sort everything. So the next few thousand rows are tried first.
   */
  private async rows(
    stateId: string,
    q: string,
    limit: number,
    page: string | undefined,
  ): Promise<PageRow[]> {
    const values: unknown[] = [stateId];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const place = ['i.state_id = $1'];
    if (page !== undefined) {
      const { start, key } = positionOf(page);
      place.push(`(${ADDRESS_START}, i.key) > (${bind(start)}, ${bind(key)}::uuid)`);
    }
    const filter = instanceConditions(q, bind);
    const from = `FROM instances i WHERE ${place.join(' AND ')}`;
    const order = `ORDER BY ${ADDRESS_START}, i.key`;
    const most = bind(limit);
    const share = Math.floor(LARGEST_PAGE / limit);
    const columns = `SELECT ${COLUMNS}, CASE WHEN ${SIZE} <= ${share} THEN i.attributes::text END AS attributes`;
    if (filter.length > 0) {
      const near = `FROM (SELECT * ${from} ${order} LIMIT ${TRIED_FIRST}) i WHERE ${filter.join(' AND ')}`;
      const rows = await this.work.query<PageRow>(`${columns} ${near} ${order} LIMIT ${most}`, values);
      if (rows.length === limit) return rows;
    }
    const all = [from, ...filter].join(' AND ');
    return this.work.query<PageRow>(`${columns} ${all} ${order} LIMIT ${most}`, values);
  }
}

/** The key tells a deposed object from the live one of its address, and apart what shares the start of an address. */
function tokenOf({ address, key }: PageRow): string {
  return encodePageToken([[...address].slice(0, START_LENGTH).join(''), key]);
}

function positionOf(page: string): { start: string; key: string } {
  const [start, key] = decodePageToken(page, 2);
  if (typeof start !== 'string' || typeof key !== 'string' || !isUuid(key) || start.includes('\0'))
    throw httpErrors.INVALID_REQUEST('page is not a page token of this list');
  return { start, key };
}
