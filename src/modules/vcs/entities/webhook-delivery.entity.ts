import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { Provider } from './installation.entity.js';

export type DeliveryState = 'received' | 'processed' | 'ignored' | 'failed';

@Entity('webhook_deliveries')
export class WebhookDeliveryEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;
  /** order of arrival */
  @Column({ type: 'bigint', generated: 'increment', insert: false, update: false })
  seq: string;
  @Column({ type: 'text' })
  provider: Provider;
  /** who signed it: `app`, or the id of the group's installation */
  @Column({ type: 'text' })
  source: string;
  /** the provider's own id */
  @Column({ name: 'delivery_id', type: 'text' })
  deliveryId: string;
  /** null: nobody knows the installation */
  @Column({ name: 'installation_id', type: 'uuid', nullable: true })
  @ForeignKey('InstallationEntity', { onDelete: 'CASCADE' })
  installationId: string | null;
  @Column({ name: 'provider_installation_id', type: 'text', nullable: true })
  providerInstallationId: string | null;
  @Column({ type: 'text' })
  event: string;
  @Column({ type: 'text', nullable: true })
  action: string | null;
  /** deliveries of one lane are worked on in order; one that keeps failing has a lane of its own */
  @Column({ type: 'text' })
  lane: string;
  /** sealed; null a day after it arrived, once it was worked on */
  @Column({ type: 'bytea', nullable: true })
  body: Buffer | null;
  /** the first delivery of a group: it starts nothing */
  @Column({ name: 'was_pending', type: 'boolean', default: false })
  wasPending: boolean;
  @Column({ type: 'text', default: 'received' })
  state: DeliveryState;
  @Column({ type: 'integer', default: 0 })
  attempts: number;
  /** id of the failure, never its text */
  @Column({ type: 'text', nullable: true })
  error: string | null;
  @Column({ name: 'received_at', type: 'timestamptz', default: () => 'now()' })
  receivedAt: Date;
  @Column({ name: 'retry_at', type: 'timestamptz', nullable: true })
  retryAt: Date | null;
  @Column({ name: 'processed_at', type: 'timestamptz', nullable: true })
  processedAt: Date | null;
}
