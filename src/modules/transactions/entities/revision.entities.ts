import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The hash of one configuration node that was applied to a state. */
@Entity('state_revisions')
export class StateRevisionEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('text')
  node: string;
  @Column('text')
  hash: string;
}

/** The hash over all configuration nodes of a state. */
@Entity('state_revision_hashes')
export class StateRevisionHashEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @Column('text')
  hash: string;
}

/** A configuration node that a transaction changes. */
@Entity('transaction_revisions')
export class TransactionRevisionEntity {
  @PrimaryColumn('uuid', { name: 'tx_id' })
  txId: string;
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('text')
  node: string;
  @Column('text')
  hash: string;
  @Column('text', { name: 'base_hash', nullable: true })
  baseHash: string | null;
}
