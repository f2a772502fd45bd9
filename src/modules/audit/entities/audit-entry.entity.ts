import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** One change to people, rights, credentials or tenants. Rows are only ever added. */
@Entity('audit_entries')
export class AuditEntryEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: string;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ name: 'actor_id', type: 'uuid', nullable: true })
  actorId: string | null;
  @Column({ name: 'actor_name', type: 'text', nullable: true })
  actorName: string | null;
  @Column({ type: 'text', nullable: true })
  credential: string | null;
  @Column({ type: 'text' })
  action: string;
  @Column({ name: 'object_type', type: 'text' })
  objectType: string;
  @Column({ name: 'object_id', type: 'text', nullable: true })
  objectId: string | null;
  @Column({ name: 'tenant_id', type: 'uuid', nullable: true })
  tenantId: string | null;
  @Column({ name: 'request_id', type: 'text', nullable: true })
  requestId: string | null;
  @Column({ type: 'jsonb', default: {} })
  data: Record<string, unknown>;
}
