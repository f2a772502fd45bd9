import { Column, Entity, PrimaryColumn } from 'typeorm';
import { StoredDocument } from './stored-document.js';

export const SUBMISSION_STATUSES = ['refused', 'merged'] as const;
export type SubmissionStatus = (typeof SUBMISSION_STATUSES)[number];

/** A document that was posted and is not a version as it came: refused, or merged into one. */
@Entity('state_submissions')
export class StateSubmissionEntity extends StoredDocument {
  @PrimaryColumn('uuid')
  id: string;
  @Column('uuid', { name: 'state_id' })
  stateId: string;
  @Column('text')
  status: SubmissionStatus;
  @Column('integer', { name: 'resulting_version', nullable: true })
  resultingVersion: number | null;
  /** the version that its writer started from, where it is known */
  @Column('integer', { name: 'base_version', nullable: true })
  baseVersion: number | null;
  @Column('uuid', { name: 'conflicts_with', array: true })
  conflictsWith: string[];
}
