import { Column, Entity, ForeignKey, PrimaryGeneratedColumn } from 'typeorm';
import type { Grants } from '../../access/index.js';
import type { GroupCondition } from '../group-condition.rules.js';

@Entity('capability_group_rules')
export class GroupRuleEntity {
  @PrimaryGeneratedColumn('uuid')
  id: string;
  @Column({ name: 'tenant_id', type: 'uuid' })
  @ForeignKey('TenantEntity', { onDelete: 'CASCADE' })
  tenantId: string;
  @Column({ type: 'jsonb' })
  condition: GroupCondition;
  @Column({ type: 'jsonb' })
  grant: Grants;
  @Column({ type: 'text' })
  description: string;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ name: 'created_by', type: 'uuid' })
  createdBy: string;
  /** set by deletion, which keeps the row */
  @Column({ name: 'deleted_at', type: 'timestamptz', nullable: true })
  deletedAt: Date | null;
}
