import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The tenant that a group of states belongs to. */
@Entity('state_groups')
export class StateGroupEntity {
  @PrimaryColumn('uuid', { name: 'group_id' })
  groupId: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
}
