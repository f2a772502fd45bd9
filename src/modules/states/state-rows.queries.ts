import { Injectable } from '@nestjs/common';
import { In } from 'typeorm';
import { rowsOfPage, type SizedRow, UnitOfWork } from '../../platform/database/index.js';
import { decodeTextAndId, decodeTimeAndId, encodePageToken } from '../../platform/http/index.js';
import type { StateView } from './dto/state.dto.js';
import { StateLockEntity } from './entities/state-lock.entity.js';
import { StateEntity } from './entities/state.entity.js';
import { lockInfoOf } from './backend/lock-info.rules.js';
import type { StateOrder } from './state-orders.js';
import type { Page } from './states.queries.js';
import { toStateView } from './state.view.js';

interface StateNumbersRow {
  id: string;
  instances: number | null;
  resources: number | null;
  info: string | null;
  locked_at: Date | null;
}

interface StateKeyRow extends SizedRow {
  id: string;
  sort_key: string;
}

/** Bytes of what a client chose in a row; the rest of a row is a few hundred. */
const ROW_BYTES =
  'octet_length(concat(s.name, s.workspace, s.lineage, s.terraform_version, s.graph_error)) + 512';

/** Column, direction and decoder of the page token of each order; the id breaks ties. */
const ORDERS = {
  created_at: { column: 's.created_at', way: 'ASC', type: 'timestamptz', after: '>' },
  name: { column: 's.name', way: 'ASC', type: 'text', after: '>' },
  '-updated_at': { column: 's.updated_at', way: 'DESC', type: 'timestamptz', after: '<' },
} as const;

/** States as they are shown: with the numbers of their graph and the holder of their lock. */
@Injectable()
export class StateRowQueries {
  constructor(private readonly work: UnitOfWork) {}

  async list(
    tenantId: string,
    wanted: { search?: string | undefined; order?: StateOrder | undefined; isLocked?: boolean },
    limit: number,
    page: string | undefined,
  ): Promise<Page<StateView>> {
    const { column, way, type, after } = ORDERS[wanted.order ?? 'created_at'];
    const query = this.work.manager
      .createQueryBuilder(StateEntity, 's')
      .select('s.id', 'id')
      .addSelect(`${column}::text`, 'sort_key')
      .addSelect(ROW_BYTES, 'row_bytes')
      .where('s.tenant_id = :tenantId', { tenantId })
      .orderBy(column, way)
      .addOrderBy('s.id', way)
      .limit(limit + 1);
    if (wanted.search)
      query.andWhere('(s.name ILIKE :part OR s.workspace ILIKE :part OR s.group_id::text ILIKE :part)', {
        part: `%${wanted.search.replace(/[\\%_]/g, '\\$&')}%`,
      });
    if (wanted.isLocked) query.innerJoin(StateLockEntity, 'l', 'l.state_id = s.id');
    if (page !== undefined) {
      const { id, ...key } = type === 'text' ? decodeTextAndId(page) : decodeTimeAndId(page);
      const [value] = Object.values(key);
      query.andWhere(`(${column}, s.id) ${after} (:value::${type}, :id::uuid)`, { value, id });
    }
    const keys = await query.getRawMany<StateKeyRow>();
    const shown = rowsOfPage(keys, limit);
    const last = shown.at(-1);
    return {
      rows: await this.shown(await this.statesOf(shown.map(({ id }) => id))),
      next: keys.length > shown.length && last ? encodePageToken([last.sort_key, last.id]) : undefined,
    };
  }

  async one(state: StateEntity): Promise<StateView> {
    const [view] = await this.shown([state]);
    return view ?? toStateView(state, { instances: 0, resources: 0 });
  }

  /** In the order of the ids. */
  private async statesOf(ids: readonly string[]): Promise<StateEntity[]> {
    const states = await this.work.manager.findBy(StateEntity, { id: In(ids) });
    const found = new Map(states.map((state) => [state.id, state]));
    return ids.flatMap((id) => found.get(id) ?? []);
  }

  private async shown(states: readonly StateEntity[]): Promise<StateView[]> {
    if (states.length === 0) return [];
    const rows = await this.work.query<StateNumbersRow>(
      `SELECT s.id, (g.stats ->> 'instances')::int AS instances, (g.stats ->> 'resources')::int AS resources,
         l.info, l.created_at AS locked_at
       FROM unnest($1::uuid[]) AS s (id) LEFT JOIN state_graphs g ON g.state_id = s.id
         LEFT JOIN state_locks l ON l.state_id = s.id`,
      [states.map(({ id }) => id)],
    );
    const found = new Map(rows.map((row) => [row.id, row]));
    return states.map((state) => {
      const row = found.get(state.id);
      return toStateView(state, {
        instances: row?.instances ?? 0,
        resources: row?.resources ?? 0,
        ...(row?.info == null || row.locked_at === null ? {} : { lock: holderOf(row.info, row.locked_at) }),
      });
    });
  }
}

function holderOf(info: string, lockedAt: Date): NonNullable<StateView['lock']> {
  const { who, operation } = lockInfoOf(info);
  return {
    ...(who === undefined ? {} : { who }),
    ...(operation === undefined ? {} : { operation }),
    created_at: lockedAt.toISOString(),
  };
}
