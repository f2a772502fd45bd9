import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('security_waivers')
export class WaiverEntity {
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  /** as it was given: our id, an alias, or `*` */
  @Column('text', { name: 'check_id' })
  checkId: string;
  /** our id, or `*` */
  @Column('text', { name: 'matched_id' })
  matchedId: string;
  @Column('uuid', { name: 'state_id', nullable: true })
  stateId: string | null;
  @Column('text', { nullable: true })
  address: string | null;
  @Column('text')
  reason: string;
  @Column('timestamptz', { name: 'expires_at', nullable: true })
  expiresAt: Date | null;
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy: string | null;
  @Column('text', { name: 'created_by_name', nullable: true })
  createdByName: string | null;
}
