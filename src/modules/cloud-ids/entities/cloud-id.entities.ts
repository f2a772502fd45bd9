import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One id of one managed instance, as the cloud bills and lists it. */
@Entity('cloud_ids')
export class CloudIdEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  /** of the instance */
  @PrimaryColumn('uuid')
  key: string;
  @PrimaryColumn('text')
  id: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  provider: string;
  @Column('text')
  address: string;
  /** the id is that of a disk which the instance carries in its attributes */
  @Column('boolean', { name: 'is_part', default: false })
  isPart: boolean;
}

/** Up to which version the ids of a state are current. */
@Entity('cloud_id_states')
export class CloudIdStateEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @Column('integer', { name: 'done_version' })
  doneVersion: number;
  @Column('integer')
  matcher: number;
}
