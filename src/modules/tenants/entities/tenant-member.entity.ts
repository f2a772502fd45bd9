import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

@Entity('tenant_members')
export class TenantMemberEntity {
  @PrimaryColumn({ name: 'user_id', type: 'uuid' })
  @ForeignKey('UserEntity', { onDelete: 'CASCADE' })
  userId: string;
  @PrimaryColumn({ name: 'tenant_id', type: 'uuid' })
  @ForeignKey('TenantEntity', { onDelete: 'CASCADE' })
  tenantId: string;
  @Column({ name: 'joined_at', type: 'timestamptz', default: () => 'now()' })
  joinedAt: Date;
  /** added by administrators of this tenant alone; the account belongs to the tenants it belonged to before */
  @Column({ type: 'boolean', default: false })
  guest: boolean;
}
