import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

@Entity('group_credentials')
export class GroupCredentialsEntity {
  @PrimaryColumn({ name: 'installation_id', type: 'uuid' })
  @ForeignKey('InstallationEntity', { onDelete: 'CASCADE' })
  installationId: string;
  /** sealed; null until somebody gives one */
  @Column({ name: 'access_token', type: 'bytea', nullable: true })
  accessToken: Buffer | null;
  /** sealed */
  @Column({ name: 'webhook_secret', type: 'bytea' })
  webhookSecret: Buffer;
  /** HMAC by which a delivery finds its group */
  @Column({ name: 'webhook_secret_hash', type: 'bytea', unique: true })
  webhookSecretHash: Buffer;
  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
}
