import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Sums of one billed resource of a source, and the instance that caused them. */
@Entity('billed_resources')
export class BilledResourceEntity {
  @PrimaryColumn('bigint')
  id: string;
  @Column('uuid', { name: 'source_id' })
  sourceId: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  provider: string;
  /** empty: lines that name no resource */
  @Column('text', { name: 'resource_id' })
  resourceId: string;
  @Column({ type: 'uuid', name: 'resource_hash', insert: false, update: false })
  resourceHash: string;
  @Column('text')
  currency: string;
  @Column('numeric', { name: 'billed_cost' })
  billedCost: string;
  @Column('bigint', { name: 'line_count' })
  lineCount: string;
  @Column('date', { name: 'first_date' })
  firstDate: string;
  @Column('date', { name: 'last_date' })
  lastDate: string;
  @Column('text', { name: 'region_id' })
  regionId: string;
  @Column('text', { name: 'resource_type' })
  resourceType: string;
  @Column('text', { name: 'service_name' })
  serviceName: string;
  @Column('timestamptz', { name: 'summed_at' })
  summedAt: Date;
  @Column('uuid', { name: 'state_id', nullable: true })
  stateId: string | null;
  @Column('text', { nullable: true })
  address: string | null;
}

/** An id under which `cloud_ids` may hold a billed resource. */
@Entity('billed_resource_ids')
export class BilledResourceIdEntity {
  @PrimaryColumn('bigint')
  resource: string;
  @PrimaryColumn('text')
  id: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  provider: string;
}
