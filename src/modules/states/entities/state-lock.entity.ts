import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('state_locks')
export class StateLockEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @Column('text', { name: 'lock_id' })
  lockId: string;
  /** the holder's JSON as it was sent */
  @Column('text')
  info: string;
  @Column('text', { name: 'held_by' })
  heldBy: string;
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
