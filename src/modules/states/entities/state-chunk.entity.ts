import { Column, Entity, PrimaryColumn } from 'typeorm';

@Entity('state_chunks')
export class StateChunkEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('bytea')
  hash: Buffer;
  @Column('smallint')
  kind: number;
  @Column('integer')
  size: number;
  @Column('bigint', { transformer: { to: (v: number) => v, from: (v: string) => Number(v) } })
  crc32: number;
  @Column('bytea', { nullable: true })
  context: Buffer | null;
  @Column('bytea')
  data: Buffer;
  @Column('bytea', { name: 'node_index', nullable: true })
  nodeIndex: Buffer | null;
}
