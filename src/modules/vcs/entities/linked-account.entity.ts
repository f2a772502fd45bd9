import { Column, Entity, ForeignKey, PrimaryGeneratedColumn } from 'typeorm';
import type { Provider } from './installation.entity.js';

@Entity('linked_accounts')
export class LinkedAccountEntity {
  @PrimaryGeneratedColumn('uuid')
  id: string;
  @Column({ name: 'user_id', type: 'uuid' })
  @ForeignKey('UserEntity', { onDelete: 'CASCADE' })
  userId: string;
  @Column({ type: 'text' })
  provider: Provider;
  /** the provider's own id of the person */
  @Column({ name: 'account_id', type: 'text' })
  accountId: string;
  @Column({ type: 'text' })
  username: string;
  @Column({ name: 'avatar_url', type: 'text', nullable: true })
  avatarUrl: string | null;
  /** sealed */
  @Column({ name: 'access_token', type: 'bytea' })
  accessToken: Buffer;
  /** sealed; good once */
  @Column({ name: 'refresh_token', type: 'bytea', nullable: true })
  refreshToken: Buffer | null;
  /** null: the token does not expire */
  @Column({ name: 'expires_at', type: 'timestamptz', nullable: true })
  expiresAt: Date | null;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
