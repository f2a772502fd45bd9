import { Column, Entity, PrimaryColumn } from 'typeorm';

/** One block of the configuration that was last applied to a state. */
@Entity('state_configuration')
export class ConfigurationNodeEntity {
  @PrimaryColumn('uuid', { name: 'state_id' })
  stateId: string;
  @PrimaryColumn('uuid')
  key: string;
  @Column('text')
  node: string;
  @Column('text')
  kind: string;
  @Column('text')
  address: string;
  @Column('text')
  module: string;
  @Column('text')
  file: string;
  @Column('jsonb')
  data: unknown;
  @Column('text')
  hash: string;
  @Column('integer', { name: 'start_line', nullable: true })
  startLine: number | null;
  @Column('integer', { name: 'end_line', nullable: true })
  endLine: number | null;
}
