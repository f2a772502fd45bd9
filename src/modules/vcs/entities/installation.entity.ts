import { Column, Entity, ForeignKey, PrimaryGeneratedColumn } from 'typeorm';

export const PROVIDERS = ['github', 'gitlab'] as const;
export type Provider = (typeof PROVIDERS)[number];
export type InstallationTarget = 'organization' | 'user' | 'group';
/** GitHub: active, suspended, uninstalled; GitLab: pending, installed. */
export type InstallationState = 'active' | 'suspended' | 'uninstalled' | 'pending' | 'installed';

@Entity('installations')
export class InstallationEntity {
  @PrimaryGeneratedColumn('uuid')
  id: string;
  @Column({ type: 'text' })
  provider: Provider;
  /** the provider's own id */
  @Column({ name: 'installation_id', type: 'text' })
  installationId: string;
  @Column({ name: 'tenant_id', type: 'uuid', nullable: true })
  @ForeignKey('TenantEntity', { onDelete: 'SET NULL' })
  tenantId: string | null;
  /** login of the account, path of the group */
  @Column({ type: 'text' })
  name: string;
  @Column({ name: 'target_type', type: 'text' })
  targetType: InstallationTarget;
  @Column({ type: 'text' })
  state: InstallationState;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
  @Column({ name: 'linked_at', type: 'timestamptz', nullable: true })
  linkedAt: Date | null;
  /** runs of the linked installation act as this user */
  @Column({ name: 'system_user_id', type: 'uuid', nullable: true })
  @ForeignKey('UserEntity', { onDelete: 'SET NULL' })
  systemUserId: string | null;
}
