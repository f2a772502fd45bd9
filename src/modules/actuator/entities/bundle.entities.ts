import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The bundle that the runner of a step fetches. */
@Entity('transaction_bundles')
export class TransactionBundleEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  @Column('uuid')
  id: string;
  @Column('uuid', { name: 'state_id' })
  stateId: string;
  @Column('integer', { name: 'base_version' })
  baseVersion: number;
  @Column('text')
  head: string;
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}

/** One entry of a bundle. */
@Entity('transaction_bundle_entries')
export class TransactionBundleEntryEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  @PrimaryColumn('integer')
  ordinal: number;
  @Column('text')
  kind: string;
  @Column('boolean', { name: 'is_context' })
  isContext: boolean;
  @Column('integer')
  size: number;
  @Column('text')
  data: string;
}

/** A sealed part of a report that is not complete yet. */
@Entity('transaction_report_parts')
export class TransactionReportPartEntity {
  @PrimaryColumn('uuid', { name: 'task_id' })
  taskId: string;
  @PrimaryColumn('integer')
  idx: number;
  @Column('bytea')
  sealed: Buffer;
}
