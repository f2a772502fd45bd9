import { Column, Entity, PrimaryColumn } from 'typeorm';

/** What a version did to one instance, output or check result: added, changed or removed it. */
@Entity('state_changes')
export class StateChangeEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('integer')
  version: number;
  @PrimaryColumn('uuid')
  key: string;
  @Column('char')
  op: 'a' | 'c' | 'r';
  @Column('text')
  address: string;
  @Column('uuid', { name: 'tx_id' })
  txId: string;
  @Column('uuid', { name: 'run_id' })
  runId: string;
}
