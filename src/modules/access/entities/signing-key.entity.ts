import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A key that signs tokens of the service; its secret is sealed where sealing is configured. */
@Entity('signing_keys')
export class SigningKeyEntity {
  @PrimaryColumn('text')
  id: string;
  @Column('bytea', { nullable: true })
  secret: Buffer | null;
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
  @Column('timestamptz', { name: 'retired_at', nullable: true })
  retiredAt: Date | null;
  @Column('bytea', { name: 'sealed_secret', nullable: true })
  sealedSecret: Buffer | null;
}
