import { Column } from 'typeorm';
import type { FrameIndex } from '../../documents/index.js';
import type { StateFormat } from './state.entity.js';

const number = { to: (value: number) => value, from: (value: string) => Number(value) };

/** The columns every stored document has, accepted or not. */
export abstract class StoredDocument {
  @Column('bigint', { transformer: number })
  serial: number;
  @Column('text')
  lineage: string;
  @Column('text')
  format: StateFormat;
  /** of the whole document; null until a merged document is first read */
  @Column('bytea', { nullable: true })
  md5: Buffer | null;
  @Column('bigint', { transformer: number })
  crc32: number;
  /** bytes */
  @Column('bigint', { transformer: number })
  size: number;
  /** 32 byte chunk hashes in document order */
  @Column('bytea')
  chunks: Buffer;
  @Column('jsonb')
  frame: FrameIndex;
  @Column('uuid', { name: 'tx_id' })
  txId: string;
  @Column('uuid', { name: 'run_id' })
  runId: string;
  @Column('uuid', { name: 'created_by', nullable: true })
  createdBy: string | null;
  @Column('timestamptz', { name: 'created_at' })
  createdAt: Date;
}
