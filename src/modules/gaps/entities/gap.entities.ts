import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CloudProvider } from '../../cloud-ids/index.js';
import type { CloudFailureView, ScanPosition } from '../clouds/cloud-inventory.js';

/** What a tenant's role in AWS asks for. */
@Entity('gap_tenants')
export class GapTenantEntity {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text', { name: 'external_id' })
  externalId: string;
}

/** Whose cloud a tenant sees. */
@Entity('gap_settings')
export class GapSettingsEntity {
  /** another one after each change */
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  provider: CloudProvider;
  /** without secrets */
  @Column('jsonb')
  settings: Record<string, unknown>;
  /** sealed */
  @Column('bytea', { nullable: true })
  secret: Buffer | null;
  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
  @Column('uuid', { name: 'updated_by', nullable: true })
  updatedBy: string | null;
}

export type GapScanStatus = 'running' | 'completed' | 'failed';

/** The last scan of a tenant's cloud, and which inventory is the complete one. */
@Entity('gap_scans')
export class GapScanEntity {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId: string;
  @PrimaryColumn('text')
  provider: CloudProvider;
  @Column('uuid', { name: 'task_id' })
  taskId: string;
  @Column('text')
  status: GapScanStatus;
  @Column('timestamptz', { name: 'started_at' })
  startedAt: Date;
  @Column('timestamptz', { name: 'ended_at', nullable: true })
  endedAt: Date | null;
  /** the running attempt; an older one writes nothing any more */
  @Column('uuid', { name: 'attempt_id', nullable: true })
  attemptId: string | null;
  /** inventory that is being collected */
  @Column('uuid', { name: 'collecting_id', nullable: true })
  collectingId: string | null;
  /** what follows the rows that are stored; null: the beginning */
  @Column('jsonb', { nullable: true })
  position: ScanPosition | null;
  @Column('jsonb', { nullable: true })
  error: CloudFailureView | null;
  @Column('uuid', { name: 'inventory_id', nullable: true })
  inventoryId: string | null;
  @Column('timestamptz', { name: 'fetched_at', nullable: true })
  fetchedAt: Date | null;
  /** number of resources by service */
  @Column('jsonb', { nullable: true })
  totals: Record<string, number> | null;
}

/** One resource that a cloud listed. */
@Entity('gap_inventory')
export class GapInventoryEntity {
  @PrimaryColumn('uuid', { name: 'tenant_id' })
  tenantId: string;
  @PrimaryColumn('uuid', { name: 'inventory_id' })
  inventoryId: string;
  /** as `cloud_ids` has it */
  @PrimaryColumn('text', { name: 'lookup_id' })
  lookupId: string;
  @PrimaryColumn('text')
  service: string;
  @PrimaryColumn('text', { name: 'resource_type' })
  resourceType: string;
  @PrimaryColumn('text')
  id: string;
  @Column('text')
  provider: CloudProvider;
  @Column('text', { name: 'other_ids', array: true, nullable: true })
  otherIds: string[] | null;
  @Column('text', { nullable: true })
  name: string | null;
  @Column('text', { nullable: true })
  region: string | null;
  @Column('text', { nullable: true })
  account: string | null;
  @Column('jsonb', { nullable: true })
  tags: Record<string, string> | null;
  /** what tells Terraform types apart */
  @Column('jsonb', { nullable: true })
  attributes: Record<string, string> | null;
  /** rule that says the cloud made it */
  @Column('text', { nullable: true })
  phantom: string | null;
  @Column('boolean')
  supported: boolean;
}
