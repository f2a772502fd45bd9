import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One worker at a time works on a lane; the lease ends by itself when the worker dies. */
@Entity('webhook_lanes')
export class WebhookLaneEntity {
  @PrimaryColumn({ type: 'text' })
  lane: string;
  @Column({ type: 'uuid', nullable: true })
  holder: string | null;
  @Column({ name: 'leased_until', type: 'timestamptz', nullable: true })
  leasedUntil: Date | null;
}
