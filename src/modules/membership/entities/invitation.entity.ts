import { Column, Entity, ForeignKey, PrimaryGeneratedColumn } from 'typeorm';

export type InvitationRole = 'member' | 'admin';

@Entity('invitations')
export class InvitationEntity {
  @PrimaryGeneratedColumn('uuid')
  id: string;
  @Column({ name: 'tenant_id', type: 'uuid' })
  @ForeignKey('TenantEntity', { onDelete: 'CASCADE' })
  tenantId: string;
  @Column({ type: 'text' })
  email: string;
  @Column({ type: 'text' })
  role: InvitationRole;
  /** expired is not stored: it follows from the time */
  @Column({ type: 'text' })
  status: 'pending' | 'accepted' | 'revoked';
  @Column({ name: 'token_hash', type: 'bytea' })
  tokenHash: Buffer;
  @Column({ name: 'invited_by', type: 'uuid' })
  invitedBy: string;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
  /** start of the cooldown, whether or not the mail was delivered */
  @Column({ name: 'sent_at', type: 'timestamptz' })
  sentAt: Date;
  @Column({ name: 'send_count', type: 'integer' })
  sendCount: number;
  /** null: delivery was never tried */
  @Column({ type: 'boolean', nullable: true })
  delivered: boolean | null;
  @Column({ name: 'accepted_by', type: 'uuid', nullable: true })
  acceptedBy: string | null;
}
