import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { Capability } from '../../access/index.js';

/** A user has at most one grant for each capability. */
@Entity('user_grants')
export class UserGrantEntity {
  @PrimaryColumn({ name: 'user_id', type: 'uuid' })
  @ForeignKey('UserEntity', { onDelete: 'CASCADE' })
  userId: string;
  @PrimaryColumn({ type: 'text' })
  capability: Capability;
  /** null: unscoped; otherwise the tenants where it holds, never empty */
  @Column({ type: 'uuid', array: true, nullable: true })
  tenants: string[] | null;
}
