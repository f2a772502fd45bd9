import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { decodePageToken, encodePageToken } from '../../../platform/http/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { isStorable } from '../../../platform/database/storable-text.js';
import { Decimal } from '../../pricing/index.js';
import { costErrors } from '../costs.errors.js';
import type { StateCostsView, UnsupportedCostsView } from '../dto/cost.dto.js';
import type { CostSnapshotEntity, ItemClass } from '../entities/cost.entities.js';
import { coverageOf } from '../instances/totals.rules.js';
import { Snapshots } from '../snapshots/snapshots.store.js';
import { unpricedReason } from './unpriced-reason.rules.js';

interface ItemRow {
  address: string;
  deposed: string | null;
  type: string;
  provider: string;
  region: string | null;
  cloud_resource_id: string | null;
  class: ItemClass;
  currency: string | null;
  monthly_cost: string | null;
  hourly_cost: string | null;
  tags: string | null;
  components: string;
}

interface Position {
  address: string;
  deposed: string;
}

const START: Position = { address: '', deposed: '' };
/** An estimate that will not come by waiting. */
const NEVER_ESTIMATED = 'the state has no cost estimate, and cost estimation is switched off on this server';
const ROWS_PER_PART = 500;
/** Few, so that the answer begins soon. */
const ROWS_OF_FIRST_PART = 50;
const COLUMNS = `address, deposed, type, provider, region, cloud_resource_id, class, currency, monthly_cost::text, hourly_cost::text, tags, components`;

/** The costs of one state, instance by instance. */
@Injectable()
export class StateCosts {
  constructor(
    private readonly work: UnitOfWork,
    private readonly snapshots: Snapshots,
    private readonly config: Config,
  ) {}

  /** JSON text in parts, the first instances with the first one; all instances when there is no limit. */
  async *parts(
    stateId: string,
    { limit, page }: { limit: number | undefined; page: string | undefined },
    onNext: (token: string) => void,
  ): AsyncGenerator<string, undefined> {
    const snapshot = await this.latest(stateId);
    const head = JSON.stringify(headOf(snapshot)).slice(0, -1);
    let after = page === undefined ? START : positionOf(page);
    let prefix = `${head},"instance_costs":[`;
    let next: string | undefined;
    for (let isFirst = true; ; isFirst = false) {
      const size = limit ?? (isFirst ? ROWS_OF_FIRST_PART : ROWS_PER_PART);
      const rows = await this.rows(snapshot, after, size + 1);
      const shown = rows.slice(0, size);
      const last = shown.at(-1);
      if (limit !== undefined && rows.length > size && last !== undefined) onNext((next = tokenOf(last)));
      yield prefix + (isFirst || shown.length === 0 ? '' : ',') + shown.map(itemJson).join(',');
      prefix = '';
      if (limit !== undefined || rows.length <= size || last === undefined) break;
      after = { address: last.address, deposed: last.deposed ?? '' };
    }
    yield next === undefined ? ']}' : `],"next_page":${JSON.stringify(next)}}`;
    return undefined;
  }

  async unsupported(stateId: string): Promise<UnsupportedCostsView> {
    const snapshot = await this.latest(stateId);
    const rows = await this.work.query<ItemRow>(
      `SELECT ${COLUMNS} FROM cost_items WHERE state_id = $1 AND from_seq <= $2 AND until_seq > $2 AND NOT is_priced
       ORDER BY address, coalesce(deposed, '')`,
      [stateId, snapshot.seq],
    );
    return {
      snapshot_id: snapshot.id,
      calculated_at: snapshot.calculatedAt.toISOString(),
      resources: rows.map((row) => ({
        address: row.address,
        ...(row.deposed === null ? {} : { deposed: row.deposed }),
        type: row.type,
        provider: row.provider,
        supported: row.class !== 'u',
        no_price: row.class === 'f',
        reason: unpricedReason(row.class, row.components),
      })),
    };
  }

  private async latest(stateId: string): Promise<CostSnapshotEntity> {
    const snapshot = await this.snapshots.latest(stateId);
    if (snapshot !== undefined) return snapshot;
    const isOn = this.config.get('SERVICE_COST_ENABLED');
    throw costErrors.COSTS_NOT_FOUND(isOn ? undefined : NEVER_ESTIMATED);
  }

  /** Of one snapshot, whatever is written meanwhile. */
  private async rows(
    { stateId, seq }: CostSnapshotEntity,
    after: Position,
    limit: number,
  ): Promise<ItemRow[]> {
    return this.work.query<ItemRow>(
      `SELECT ${COLUMNS} FROM cost_items WHERE state_id = $1 AND from_seq <= $2 AND until_seq > $2
         AND left(address, 512) COLLATE "C" >= left($3, 512) COLLATE "C"
         AND (left(address, 512) COLLATE "C", address, coalesce(deposed, '')) > (left($3, 512) COLLATE "C", $3, $4)
       ORDER BY left(address, 512) COLLATE "C", address, coalesce(deposed, '') LIMIT $5`,
      [stateId, seq, after.address, after.deposed, limit],
    );
  }
}

function headOf(snapshot: CostSnapshotEntity): Omit<StateCostsView, 'instance_costs'> {
  return {
    snapshot_id: snapshot.id,
    calculated_at: snapshot.calculatedAt.toISOString(),
    source: 'estimate',
    triggered_by: snapshot.triggeredBy,
    currency: snapshot.currency,
    monthly_cost: Decimal.of(snapshot.monthlyCost).toAmount(),
    hourly_cost: Decimal.of(snapshot.hourlyCost).toAmount(),
    ...(snapshot.otherTotals.length === 0 ? {} : { other_currencies: snapshot.otherTotals }),
    resource_count: snapshot.resourceCount,
    supported_count: snapshot.supportedCount,
    priced_count: snapshot.pricedCount,
    coverage_percent: coverageOf({
      resources: snapshot.resourceCount,
      free: snapshot.freeCount,
      priced: snapshot.pricedCount,
    }),
    price_book: snapshot.priceBook,
    ...(snapshot.errorMessage === null ? {} : { error_message: snapshot.errorMessage }),
  };
}

/** Tags and components are stored as they are answered. */
function itemJson(row: ItemRow): string {
  const head = JSON.stringify({
    address: row.address,
    deposed: row.deposed ?? undefined,
    type: row.type,
    supported: row.class !== 'u',
    no_price: row.class === 'f',
    provider: row.provider,
    region: row.region ?? undefined,
    cloud_resource_id: row.cloud_resource_id ?? undefined,
    currency: row.currency ?? undefined,
    monthly_cost: amount(row.monthly_cost),
    hourly_cost: amount(row.hourly_cost),
  }).slice(0, -1);
  const tags = row.tags === null ? '' : `,"tags":${row.tags}`;
  return `${head}${tags},"components":${row.components}}`;
}

function amount(text: string | null): string | undefined {
  return text === null ? undefined : Decimal.of(text).toAmount();
}

function tokenOf({ address, deposed }: ItemRow): string {
  return encodePageToken([address, deposed ?? '']);
}

function positionOf(token: string): Position {
  const [address, deposed] = decodePageToken(token, 2);
  if (
    typeof address !== 'string' ||
    typeof deposed !== 'string' ||
    !isStorable(address) ||
    !isStorable(deposed)
  )
    throw httpErrors.INVALID_REQUEST('page is not a page token of this list');
  return { address, deposed };
}
