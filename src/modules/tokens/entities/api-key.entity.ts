import { Column, Entity, ForeignKey, PrimaryGeneratedColumn } from 'typeorm';
import type { Grants } from '../../access/index.js';

@Entity('api_keys')
export class ApiKeyEntity {
  @PrimaryGeneratedColumn('uuid')
  id: string;
  @Column({ name: 'owner_id', type: 'uuid' })
  @ForeignKey('UserEntity', { onDelete: 'CASCADE' })
  ownerId: string;
  @Column({ type: 'text' })
  name: string;
  /** SHA-256 of the key, which is shown once and never stored */
  @Column({ name: 'token_hash', type: 'bytea' })
  tokenHash: Buffer;
  /** cut down again on every request to what the owner then holds */
  @Column({ type: 'jsonb' })
  capabilities: Grants;
  /** made for single states: reads nothing but what the capabilities name */
  @Column({ name: 'state_bound', type: 'boolean' })
  stateBound: boolean;
  /** tenant of each state that the capabilities name */
  @Column({ name: 'state_tenants', type: 'jsonb' })
  stateTenants: Record<string, string>;
  /** group rules of the session that made the key */
  @Column({ name: 'rule_ids', type: 'uuid', array: true })
  ruleIds: string[];
  /** made before the account was linked to a person: it reaches no other tenant than these */
  @Column({ name: 'tenant_ceiling', type: 'uuid', array: true, nullable: true })
  tenantCeiling: string[] | null;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ name: 'revoked_at', type: 'timestamptz', nullable: true })
  revokedAt: Date | null;
}
