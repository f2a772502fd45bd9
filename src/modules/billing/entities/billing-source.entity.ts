import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { CloudProvider } from '../../cloud-ids/index.js';

export type SyncStatus = 'queued' | 'running' | 'ok' | 'error';

@Entity('billing_sources')
export class BillingSourceEntity {
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  provider: CloudProvider;
  @Column('text', { name: 'source_uri' })
  sourceUri: string;
  @Column('text', { nullable: true })
  region: string | null;
  @Column('integer', { name: 'window_months' })
  windowMonths: number;
  @Column('boolean')
  enabled: boolean;
  /** an installation administrator gave the address: what the operator allows to tenants does not limit it */
  @Column('boolean', { name: 'named_by_operator' })
  namedByOperator: boolean;
  @Column('text', { name: 'last_status', nullable: true })
  lastStatus: SyncStatus | null;
  @Column('text', { name: 'last_error', nullable: true })
  lastError: string | null;
  @Column('timestamptz', { name: 'last_started_at', nullable: true })
  lastStartedAt: Date | null;
  @Column('timestamptz', { name: 'last_synced_at', nullable: true })
  lastSyncedAt: Date | null;
  @Column('bigint', { name: 'last_row_count', nullable: true })
  lastRowCount: string | null;
  @Column('uuid', { name: 'last_task_id', nullable: true })
  lastTaskId: string | null;
  /** `YYYY-MM-DD`, of the sync that is queued or running */
  @Column('date', { name: 'requested_window_start', nullable: true })
  requestedWindowStart: string | null;
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}
