import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { httpErrors } from '../../platform/errors/index.js';
import { decodePageToken, encodePageToken } from '../../platform/http/index.js';
import { isUuid } from '../access/index.js';
import { ADDRESS_START, instanceConditions } from './instance-filter.js';
import { InstanceJson, type InstanceRow } from './instance-json.rules.js';
import { LoadedGraphs } from './loaded-graphs.js';

export interface InstancePage {
  /** JSON text of the rows: attributes are never parsed here */
  results: string;
  next: string | undefined;
}

/** A page ends early when it grows beyond this many characters; `count` on both sides makes long lists. */
const LARGEST_PAGE = 32 * 1024 * 1024;
const START_LENGTH = 512;

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
    const json = new InstanceJson(version === undefined ? undefined : await this.graphs.of(stateId, version));
    const texts: string[] = [];
    let size = 0;
    for (const row of rows.slice(0, limit)) {
      const text = json.of(row);
      size += text.length;
      if (size > LARGEST_PAGE && texts.length > 0) break;
      texts.push(text);
    }
    const last = rows[texts.length - 1];
    return {
      results: `[${texts.join(',')}]`,
      next: rows.length > texts.length && last ? tokenOf(last) : undefined,
    };
  }

  private async rows(
    stateId: string,
    q: string,
    limit: number,
    page: string | undefined,
  ): Promise<InstanceRow[]> {
    const values: unknown[] = [stateId];
    const bind = (value: unknown) => `$${values.push(value)}`;
    const conditions = ['i.state_id = $1', ...instanceConditions(q, bind)];
    if (page !== undefined) {
      const { start, key } = positionOf(page);
      conditions.push(`(${ADDRESS_START}, i.key) > (${bind(start)}, ${bind(key)}::uuid)`);
    }
    return this.work.query<InstanceRow>(
      `SELECT i.key, i.address, i.resource_address, i.mode, i.type, i.name, i.module, i.provider, i.index_key::text, i.deposed, i.status,
         i.schema_version, i.create_before_destroy, i.sensitive_attributes::text, i.attributes::text,
         (SELECT version FROM state_graphs WHERE state_id = $1) AS graph_version
       FROM instances i WHERE ${conditions.join(' AND ')} ORDER BY ${ADDRESS_START}, i.key LIMIT ${bind(limit)}`,
      values,
    );
  }
}

/** The key tells a deposed object from the live one of its address, and apart what shares the start of an address. */
function tokenOf({ address, key }: InstanceRow): string {
  return encodePageToken([[...address].slice(0, START_LENGTH).join(''), key]);
}

function positionOf(page: string): { start: string; key: string } {
  const [start, key] = decodePageToken(page, 2);
  if (typeof start !== 'string' || typeof key !== 'string' || !isUuid(key) || start.includes('\0'))
    throw httpErrors.INVALID_REQUEST('page is not a page token of this list');
  return { start, key };
}
