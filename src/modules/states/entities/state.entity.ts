import { Column, CreateDateColumn, Entity, PrimaryGeneratedColumn } from 'typeorm';

/** What the current document is; `empty` was created and never written. */
export const STATE_FORMATS = ['empty', 'terraform', 'legacy', 'future', 'encrypted'] as const;
export type StateFormat = (typeof STATE_FORMATS)[number];

/** The form of the rows that a document is decomposed into; rows of a lower one are made again. */
export const GRAPH_FORMAT = 3;

const serial = { to: (value: number) => value, from: (value: string) => Number(value) };

@Entity('states')
export class StateEntity {
  @PrimaryGeneratedColumn('uuid')
  id: string;
  @Column('uuid', { name: 'tenant_id' })
  tenantId: string;
  @Column('text')
  name: string;
  @Column('uuid', { name: 'group_id' })
  groupId: string;
  @Column('text')
  workspace: string;
  @Column('text')
  lineage: string;
  @Column('bigint', { transformer: serial })
  serial: number;
  /** 0: never written; +1 with every accepted write */
  @Column('integer')
  version: number;
  @Column('text')
  format: StateFormat;
  @Column('text', { name: 'terraform_version', nullable: true })
  terraformVersion: string | null;
  /** why the current document has no graph */
  @Column('text', { name: 'graph_error', nullable: true })
  graphError: string | null;
  /** form of the rows the current document was decomposed into */
  @Column('smallint', { name: 'graph_format' })
  graphFormat: number;
  @CreateDateColumn({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column('timestamptz', { name: 'updated_at' })
  updatedAt: Date;
}
