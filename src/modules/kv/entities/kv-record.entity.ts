import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { TokenCapability } from '../../tokens/index.js';
import type { Provider } from '../../vcs/index.js';

@Entity('kv_records')
export class KvRecordEntity {
  @PrimaryColumn({ type: 'text' })
  provider: Provider;
  @PrimaryColumn({ name: 'installation_id', type: 'text' })
  installationId: string;
  /** compared byte by byte */
  @PrimaryColumn({ type: 'text' })
  key: string;
  @PrimaryColumn({ type: 'smallint' })
  idx: number;
  @Column({ type: 'text' })
  data: string;
  @Column({ type: 'bigint' })
  version: string;
  @Column({ type: 'boolean' })
  committed: boolean;
  /** bytes of `data`, computed by the database */
  @Column({ type: 'integer', insert: false, update: false })
  size: number;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ name: 'read_caps', type: 'jsonb', nullable: true })
  readCaps: TokenCapability[] | null;
  @Column({ name: 'write_caps', type: 'jsonb', nullable: true })
  writeCaps: TokenCapability[] | null;
}
