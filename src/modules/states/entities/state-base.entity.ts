import { Column, Entity, PrimaryColumn } from 'typeorm';

export const BASE_KINDS = ['read', 'sent', 'refused'] as const;
export type BaseKind = (typeof BASE_KINDS)[number];

const number = { to: (value: number) => value, from: (value: string) => Number(value) };

/** A document that a client of the backend has read or sent: a possible base of its next write. */
@Entity('state_bases')
export class StateBaseEntity {
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'state_id' })
  stateId: string;
  /** the run under which the next write is logged */
  @Column('uuid', { name: 'run_id' })
  runId: string;
  @Column('text')
  kind: BaseKind;
  /** `lock:<id>`, `tx:<id>` or `run:<id>` */
  @Column('text', { name: 'run_name', nullable: true })
  runName: string | null;
  /** lock that the same credential and address held during a read */
  @Column('text', { name: 'lock_id', nullable: true })
  lockId: string | null;
  @Column('text')
  credential: string;
  @Column('text')
  address: string;
  /** null: a proxy does not tell one client's connections apart */
  @Column('text', { nullable: true })
  connection: string | null;
  @Column('bigint', { transformer: number })
  serial: number;
  @Column('integer', { name: 'document_version', nullable: true })
  documentVersion: number | null;
  @Column('uuid', { name: 'document_submission', nullable: true })
  documentSubmission: string | null;
  /** both null: it was refused without a known base */
  @Column('integer', { name: 'base_version', nullable: true })
  baseVersion: number | null;
  @Column('uuid', { name: 'base_submission', nullable: true })
  baseSubmission: string | null;
  @Column('integer', { name: 'seen_version' })
  seenVersion: number;
  /** order of the rows */
  @Column({ type: 'bigint', insert: false, update: false, transformer: number })
  position: number;
  @Column('timestamptz')
  at: Date;
}
