import { Column, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** An invitation mail that counts against the budget of its inviter and tenant. */
@Entity('invitation_sendings')
export class InvitationSendingEntity {
  @PrimaryGeneratedColumn('identity', { type: 'bigint' })
  id: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('uuid', { name: 'inviter_id' })
  inviterId: string;
  @Column('timestamptz', { name: 'sent_at' })
  sentAt: Date;
}
