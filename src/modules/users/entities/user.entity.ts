import { Column, Entity, ForeignKey, PrimaryGeneratedColumn } from 'typeorm';
import type { UserType } from '../../access/index.js';

@Entity('users')
export class UserEntity {
  @PrimaryGeneratedColumn('uuid')
  id: string;
  @Column({ type: 'text' })
  type: UserType;
  @Column({ type: 'text' })
  name: string;
  @Column({ type: 'text', nullable: true })
  email: string | null;
  /** null: cannot sign in with a password */
  @Column({ name: 'password_hash', type: 'text', nullable: true })
  passwordHash: string | null;
  /** local, google or oidc; null for service accounts */
  @Column({ name: 'auth_origin', type: 'text', nullable: true })
  authOrigin: string | null;
  /** issuer and subject at the single sign-on provider */
  @Column({ name: 'auth_subject', type: 'text', nullable: true })
  authSubject: string | null;
  @Column({ name: 'avatar_url', type: 'text', nullable: true })
  avatarUrl: string | null;
  /** sessions of an older epoch have ended */
  @Column({ name: 'session_epoch', type: 'integer' })
  sessionEpoch: number;
  /** the one tenant of a service account; null for people */
  @Column({ name: 'home_tenant_id', type: 'uuid', nullable: true })
  @ForeignKey('TenantEntity', { onDelete: 'SET NULL' })
  homeTenantId: string | null;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ name: 'deleted_at', type: 'timestamptz', nullable: true })
  deletedAt: Date | null;
}
