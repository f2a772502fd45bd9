import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A state of a transaction, with the version the transaction started from. */
@Entity('transaction_states')
export class TransactionStateEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @Column('integer', { name: 'base_version', nullable: true })
  baseVersion: number | null;
}
