import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Grants } from '../../access/index.js';

/** The only row says what every person's session holds besides their own grants. */
@Entity('capability_defaults')
export class CapabilityDefaultsEntity {
  @PrimaryColumn({ type: 'boolean', default: true })
  id: boolean;
  @Column({ type: 'jsonb' })
  capabilities: Grants;
}
