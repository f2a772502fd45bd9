import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import type { Cost } from '../../pricing/index.js';
import type { ItemClass } from '../entities/cost.entities.js';
import { type CostedItem, markOf, type PricedItem } from '../instances/priced-item.js';
import { copyRows } from '../../../platform/database/text-copy.js';

/** In place of the snapshot that an item ends with while it has none. */
export const OPEN = 2_147_483_647;

/** Fewer rows are sorted in no time, whatever PostgreSQL takes them for. */
const MIN_ANALYZED_ROWS = 10_000;

const COLUMNS = `cost_items (state_id, key, from_seq, tenant_id, address, deposed, type, provider, region, own_region,
  cloud_resource_id, class, is_priced, currency, monthly_cost, hourly_cost, other_costs, tags, components, mark)`;

/** The snapshot that is being made. */
export interface WritingSnapshot {
  readonly stateId: string;
  readonly tenantId: string;
  readonly seq: number;
}

interface StoredItemRow {
  key: string;
  address: string;
  deposed: string | null;
  region: string | null;
  type: string;
  provider: string;
  class: ItemClass;
  is_priced: boolean;
  own_region: string | null;
  currency: string | null;
  monthly_cost: string | null;
  hourly_cost: string | null;
  other_costs: string | null;
  tags: string | null;
  mark: string;
}

export interface StoredItem extends CostedItem {
  key: string;
  address: string;
  deposed: string | null;
  region: string | undefined;
  mark: string;
}

/** Table `cost_items`: intervals of snapshots; a row is written only where a result differs. */
@Injectable()
export class Items {
  constructor(private readonly work: UnitOfWork) {}

  /** Marks of the current items of these instances. */
  async marks(stateId: string, keys: readonly string[]): Promise<Map<string, string>> {
    const rows = await this.work.query<{ key: string; mark: string }>(
      `SELECT key, mark FROM cost_items WHERE state_id = $1 AND key = ANY($2::uuid[]) AND until_seq = ${OPEN}`,
      [stateId, keys],
    );
    return new Map(rows.map(({ key, mark }) => [key, mark]));
  }

  /** Current items of these instances, as far as sums need them. */
  async current(stateId: string, keys: readonly string[]): Promise<StoredItem[]> {
    const rows = await this.work.query<StoredItemRow>(
      `SELECT key, address, deposed, type, provider, region, class, is_priced, own_region, currency, monthly_cost, hourly_cost, other_costs, tags, mark
       FROM cost_items WHERE state_id = $1 AND key = ANY($2::uuid[]) AND until_seq = ${OPEN}`,
      [stateId, keys],
    );
    return rows.map(storedItem);
  }

  async currentKeys(stateId: string): Promise<string[]> {
    const rows = await this.work.query<{ key: string }>(
      `SELECT key FROM cost_items WHERE state_id = $1 AND until_seq = ${OPEN}`,
      [stateId],
    );
    return rows.map(({ key }) => key);
  }

  /** Ends the current items of these instances with the snapshot; what began with it is gone. */
  async close({ stateId, seq }: WritingSnapshot, keys: readonly string[]): Promise<void> {
    if (keys.length === 0) return;
    await this.work.query(
      `UPDATE cost_items SET until_seq = $3 WHERE state_id = $1 AND key = ANY($2::uuid[]) AND until_seq = ${OPEN}`,
      [stateId, keys, seq],
    );
  }

  /**
   * Tells PostgreSQL, after the commit, of a state of many rows. Until autovacuum does, it would read all of them and sort
   * them for each page of a hundred.
   */
  analyzeAfterCommit(rows: number): void {
    if (rows < MIN_ANALYZED_ROWS) return;
    this.work.afterCommit(async () => {
      await this.work.query('ANALYZE cost_items, cost_sums');
    });
  }

  /** Writes the items that differ from the stored ones. Answers their keys. */
  async write(
    snapshot: WritingSnapshot,
    items: readonly PricedItem[],
    marks: ReadonlyMap<string, string>,
  ): Promise<string[]> {
    const differing = items
      .map((item) => ({ item, mark: markOf(item) }))
      .filter(({ item, mark }) => marks.get(item.key) !== mark);
    await this.close(
      snapshot,
      differing.map(({ item }) => item.key).filter((key) => marks.has(key)),
    );
    await copyRows(
      this.work,
      COLUMNS,
      differing.map(({ item, mark }) => fieldsOf(snapshot, item, mark)),
    );
    return differing.map(({ item }) => item.key);
  }
}

function fieldsOf({ stateId, tenantId, seq }: WritingSnapshot, item: PricedItem, mark: string) {
  const [cost, ...others] = item.costs;
  return [
    ...[stateId, item.key, seq, tenantId, item.address, item.deposed, item.type, item.provider],
    ...[item.region, item.ownRegion, item.cloudResourceId, item.class, item.isPriced],
    ...[cost?.currency, cost?.monthly, cost?.hourly],
    others.length === 0 ? null : JSON.stringify(others),
    item.tags === undefined ? null : JSON.stringify(item.tags),
    ...[item.components, mark],
  ];
}

function storedItem(row: StoredItemRow): StoredItem {
  const { currency, monthly_cost: monthly, hourly_cost: hourly } = row;
  const main =
    currency !== null && monthly !== null && hourly !== null ? [{ currency, monthly, hourly }] : [];
  const others = row.other_costs === null ? [] : (JSON.parse(row.other_costs) as Cost[]);
  return {
    key: row.key,
    address: row.address,
    deposed: row.deposed,
    region: row.region ?? undefined,
    type: row.type,
    provider: row.provider,
    class: row.class,
    isPriced: row.is_priced,
    ownRegion: row.own_region ?? undefined,
    costs: [...main, ...others],
    tags: row.tags === null ? undefined : (JSON.parse(row.tags) as Record<string, string>),
    mark: row.mark,
  };
}
