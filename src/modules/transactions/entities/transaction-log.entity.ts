import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An entry of the log that clients write for a transaction. */
@Entity('transaction_logs')
export class TransactionLogEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  @PrimaryColumn('bigint')
  seq: string;
  @Column('uuid')
  id: string;
  @Column('text')
  action: string;
  @Column('text', { name: 'object_type' })
  objectType: string;
  @Column('uuid', { name: 'state_id', nullable: true })
  stateId: string | null;
  @Column('uuid', { name: 'user_id', nullable: true })
  userId: string | null;
  @Column('text', { name: 'node_id', nullable: true })
  nodeId: string | null;
  @Column('jsonb')
  data: unknown;
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
  @Column('integer', { nullable: true })
  size: number | null;
}

/** An append whose caller gave it a key. */
@Entity('transaction_appends')
export class TransactionAppendEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  /** hash of the credential and the caller's key */
  @PrimaryColumn('text')
  key: string;
  /** entries */
  @Column('integer')
  appended: number;
}

/** A fragment of the output of the last step. */
@Entity('transaction_output')
export class TransactionOutputEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  @PrimaryColumn('integer')
  idx: number;
  @Column('text')
  data: string;
}
