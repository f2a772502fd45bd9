import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { TokenCapability } from '../token-capabilities.rules.js';

export type Vcs = 'github' | 'gitlab';

@Entity('refresh_tokens')
export class RefreshTokenEntity {
  /** the jti of the token */
  @PrimaryColumn({ type: 'uuid' })
  id: string;
  @Column({ name: 'owner_id', type: 'uuid' })
  @ForeignKey('UserEntity', { onDelete: 'CASCADE' })
  ownerId: string;
  @Column({ type: 'text' })
  vcs: Vcs;
  @Column({ type: 'text' })
  name: string;
  @Column({ type: 'jsonb' })
  capabilities: TokenCapability[];
  /** made before the account was linked to a person: it reaches no other tenant than these */
  @Column({ name: 'tenant_ceiling', type: 'uuid', array: true, nullable: true })
  tenantCeiling: string[] | null;
  /** the refresh token whose access token made this one, which ends with it */
  @Column({ name: 'parent_id', type: 'uuid', nullable: true })
  @ForeignKey('RefreshTokenEntity', { onDelete: 'CASCADE' })
  parentId: string | null;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt: Date | null;
}
