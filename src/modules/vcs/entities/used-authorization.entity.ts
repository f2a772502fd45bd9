import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An authorization at a provider that was answered already; each is good once. */
@Entity('used_authorizations')
export class UsedAuthorizationEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;
  @Column({ name: 'expires_at', type: 'timestamptz' })
  expiresAt: Date;
}
