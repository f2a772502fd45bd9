import { Column, Entity, PrimaryColumn } from 'typeorm';
import { StoredDocument } from './stored-document.js';

export const VERSION_ORIGINS = ['backend', 'import', 'restore', 'merge', 'force', 'transaction'] as const;
export type VersionOrigin = (typeof VERSION_ORIGINS)[number];

@Entity('state_versions')
export class StateVersionEntity extends StoredDocument {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('integer')
  version: number;
  @Column('text', { name: 'graph_error', nullable: true })
  graphError: string | null;
  @Column('text')
  origin: VersionOrigin;
}
