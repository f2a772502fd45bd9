import { Column, Entity, PrimaryColumn } from 'typeorm';

export const BASE_KINDS = ['read', 'sent', 'refused'] as const;
export type BaseKind = (typeof BASE_KINDS)[number];

/** A document that a client of the backend has read or sent: a possible base of its next write. */
@Entity('state_bases')
export class StateBaseEntity {
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'state_id' })
  stateId: string;
  @Column('uuid', { name: 'run_id' })
  runId: string;
  @Column('text')
  kind: BaseKind;
  @Column('text', { name: 'run_name', nullable: true })
  runName: string | null;
  @Column('text')
  credential: string;
  @Column('text')
  address: string;
  @Column('text')
  connection: string;
  @Column('bigint', { transformer: { to: (v: number) => v, from: (v: string) => Number(v) } })
  serial: number;
  @Column('integer', { name: 'document_version', nullable: true })
  documentVersion: number | null;
  @Column('uuid', { name: 'document_submission', nullable: true })
  documentSubmission: string | null;
  @Column('integer', { name: 'base_version', nullable: true })
  baseVersion: number | null;
  @Column('uuid', { name: 'base_submission', nullable: true })
  baseSubmission: string | null;
  @Column('integer', { name: 'seen_version' })
  seenVersion: number;
  @Column('timestamptz')
  at: Date;
}
