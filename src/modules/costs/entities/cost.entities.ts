import { Column, Entity, PrimaryColumn } from 'typeorm';

export type SnapshotKind = 'current' | 'planned';
export type SnapshotTrigger =
  | ('state_import' | 'backend_write' | 'tx_apply' | 'actuator_commit' | 'scheduled' | 'manual')
  | 'preview';
/** Costs something, free, or of a type that has no rule. */
export type ItemClass = 'p' | 'f' | 'u';
/** Provider, resource type or tag. */
export type SumDimension = 'p' | 'r' | 't';
/** Provider, then region, to the number of instances that tell it. */
export type RegionCounts = Record<string, Record<string, number>>;

/** A total in one currency; amounts are exact decimals as text. */
export interface CurrencyTotal {
  currency: string;
  monthly_cost: string;
  hourly_cost: string;
}

/** Up to which version a state is priced. */
@Entity('cost_states')
export class CostStateEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  /** -1: never */
  @Column('integer', { name: 'priced_version' })
  pricedVersion: number;
  /** price book, rules and settings */
  @Column('text')
  basis: string;
  /** usage documents */
  @Column('text')
  usage: string;
  /** number of the newest snapshot; 0: none */
  @Column('integer')
  seq: number;
  @Column('uuid', { name: 'snapshot_id', nullable: true })
  snapshotId: string | null;
  @Column('timestamptz', { name: 'snapshot_at', nullable: true })
  snapshotAt: Date | null;
  @Column('jsonb')
  regions: RegionCounts;
}

@Entity('cost_snapshots')
export class CostSnapshotEntity {
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'state_id' })
  stateId: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  kind: SnapshotKind;
  /** of current ones, rising within a state */
  @Column('integer', { nullable: true })
  seq: number | null;
  @Column('uuid', { name: 'tx_id', nullable: true })
  txId: string | null;
  @Column('text', { name: 'triggered_by' })
  triggeredBy: SnapshotTrigger;
  @Column('integer', { nullable: true })
  version: number | null;
  /** the one that most instances have */
  @Column('text')
  currency: string;
  @Column('numeric', { name: 'monthly_cost' })
  monthlyCost: string;
  @Column('numeric', { name: 'hourly_cost' })
  hourlyCost: string;
  @Column('jsonb', { name: 'other_totals' })
  otherTotals: CurrencyTotal[];
  @Column('integer', { name: 'resource_count' })
  resourceCount: number;
  @Column('integer', { name: 'free_count' })
  freeCount: number;
  @Column('integer', { name: 'supported_count' })
  supportedCount: number;
  @Column('integer', { name: 'priced_count' })
  pricedCount: number;
  @Column('text', { name: 'price_book' })
  priceBook: string;
  /** why a state that cannot be read was priced as empty */
  @Column('text', { name: 'error_message', nullable: true })
  errorMessage: string | null;
  @Column('timestamptz', { name: 'calculated_at' })
  calculatedAt: Date;
}

/** Written in bulk (items.store.ts): what an instance costs from one snapshot on until another. */
@Entity('cost_items')
export class CostItemEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('uuid')
  key: string;
  @PrimaryColumn('integer', { name: 'from_seq' })
  fromSeq: number;
  @Column('integer', { name: 'until_seq' })
  untilSeq: number;
  @Column('text')
  address: string;
}

/** Written in bulk (links.store.ts): which instance can be asked for by what, and which one asked. */
@Entity('cost_links')
export class CostLinkEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('uuid')
  link: string;
  @PrimaryColumn('char')
  role: 't' | 'a';
  @PrimaryColumn('uuid')
  key: string;
}

/** Written in bulk (sums.store.ts): sums of a state from one day on until another. */
@Entity('cost_sums')
export class CostSumEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('char')
  dimension: SumDimension;
  @PrimaryColumn('uuid')
  id: string;
  @PrimaryColumn('text')
  currency: string;
  @PrimaryColumn('date', { name: 'from_day' })
  fromDay: string;
}

/** Written in bulk (changes.store.ts): what the costs of a tenant changed by on a day. */
@Entity('cost_changes')
export class CostChangeEntity {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId: string;
  @PrimaryColumn('char')
  dimension: 'p' | 'r';
  @PrimaryColumn('date')
  day: string;
  @PrimaryColumn('text')
  name: string;
  @PrimaryColumn('text')
  currency: string;
  @Column('integer', { name: 'resource_count' })
  resourceCount: number;
  @Column('numeric', { name: 'monthly_cost' })
  monthlyCost: string;
  @Column('numeric', { name: 'hourly_cost' })
  hourlyCost: string;
}

/** Written in bulk (changes.store.ts): the same by tag. */
@Entity('cost_tag_changes')
export class CostTagChangeEntity {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId: string;
  @PrimaryColumn('text', { name: 'tag_key' })
  tagKey: string;
  @PrimaryColumn('date')
  day: string;
  @PrimaryColumn('uuid')
  id: string;
  @PrimaryColumn('text')
  currency: string;
}

/** Written in bulk (changes.store.ts): what the states of a tenant cost now. */
@Entity('cost_totals')
export class CostTotalEntity {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId: string;
  @PrimaryColumn('char')
  dimension: SumDimension;
  @PrimaryColumn('text', { name: 'tag_key' })
  tagKey: string;
  @PrimaryColumn('uuid')
  id: string;
  @PrimaryColumn('text')
  currency: string;
}

/** A tag key whose values nearly tell instances apart: it has neither changes nor totals of the tenant. */
@Entity('cost_wide_tags')
export class CostWideTagEntity {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId: string;
  @PrimaryColumn('text', { name: 'tag_key' })
  tagKey: string;
}

/** What a plan would cost. */
@Entity('cost_plans')
export class CostPlanEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  /** differs for every preview of the transaction */
  @Column('uuid')
  attempt: string;
  @Column('text')
  status: 'computing' | 'completed' | 'failed';
  @Column('jsonb', { nullable: true })
  delta: unknown;
  @Column('timestamptz', { name: 'computed_at', nullable: true })
  computedAt: Date | null;
}

/** Usage of a tenant, or of one of its states. */
@Entity('cost_usage')
export class CostUsageEntity {
  /** of the state or tenant */
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('uuid', { name: 'state_id', nullable: true })
  stateId: string | null;
  /** JSON */
  @Column('text')
  document: string;
  /** hash of the document */
  @Column('uuid')
  mark: string;
  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}
