import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A unit of change over states. */
@Entity('transactions')
export class TransactionEntity {
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  kind: string;
  @Column('text')
  state: string;
  @Column('jsonb')
  params: unknown;
  @Column('jsonb')
  tags: unknown;
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy: string | null;
  @Column('timestamptz', { name: 'completed_at', nullable: true })
  completedAt: Date | null;
  @Column('uuid', { name: 'completed_by', nullable: true })
  completedBy: string | null;
  @Column('timestamptz', { name: 'written_at', nullable: true })
  writtenAt: Date | null;
  @Column('text', { name: 'output_kind', nullable: true })
  outputKind: string | null;
  @Column('uuid', { name: 'task_id', nullable: true })
  taskId: string | null;
  /** digest of the running step's idempotency key and of the credential that began it; null when it had none */
  @Column('text', { name: 'step_key', nullable: true })
  stepKey: string | null;
  @Column('jsonb', { nullable: true })
  grants: unknown;
  /** the credential that began it; null for those from before it was kept, and for single writes */
  @Column('text', { name: 'made_with', nullable: true })
  madeWith: string | null;
}
