import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { RunKind, RunType } from './work-manifest.entity.js';

export type DirspaceState = 'aborted' | 'failure' | 'queued' | 'running' | 'success' | 'unknown';

/** A directory in a workspace of a run, with the columns of the run that lists filter by. */
@Entity('work_manifest_dirspaces')
export class WorkManifestDirspaceEntity {
  @PrimaryColumn({ name: 'work_manifest_id', type: 'uuid' })
  @ForeignKey('WorkManifestEntity', { onDelete: 'CASCADE' })
  workManifestId: string;
  @PrimaryColumn({ type: 'integer' })
  position: number;
  @Column({ type: 'text' })
  dir: string;
  @Column({ type: 'text' })
  workspace: string;
  @Column({ type: 'text' })
  state: DirspaceState;
  @Column({ type: 'boolean', nullable: true })
  success: boolean | null;
  @Column({ name: 'has_changes', type: 'boolean', nullable: true })
  hasChanges: boolean | null;
  @Column({ name: 'installation_id', type: 'uuid' })
  installationId: string;
  @Column({ type: 'text' })
  repo: string;
  @Column({ type: 'text', nullable: true })
  username: string | null;
  @Column({ type: 'text', nullable: true })
  environment: string | null;
  @Column({ type: 'text' })
  kind: RunKind;
  @Column({ name: 'run_type', type: 'text' })
  runType: RunType;
  @Column({ name: 'pull_number', type: 'integer', nullable: true })
  pullNumber: number | null;
  @Column({ type: 'text' })
  branch: string;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ name: 'repository_id', type: 'uuid', nullable: true })
  @ForeignKey('RepositoryEntity', { onDelete: 'CASCADE' })
  repositoryId: string | null;
  /** commit of the head */
  @Column({ type: 'text', nullable: true })
  sha: string | null;
  @Column({ name: 'lock_policy', type: 'text', default: 'apply' })
  lockPolicy: 'apply' | 'none';
  @Column({ type: 'jsonb', nullable: true })
  summary: { add: number; change: number; destroy: number } | null;
  /** of an apply: the run whose plan it applies */
  @Column({ name: 'plan_from', type: 'uuid', nullable: true })
  planFrom: string | null;
  /** of its plan, or of the session that its apply wrote into */
  @Column({ name: 'transaction_id', type: 'uuid', nullable: true })
  transactionId: string | null;
  /** of an apply that was refused: the transactions that were first */
  @Column({ name: 'conflicts_with', type: 'uuid', array: true, nullable: true })
  conflictsWith: string[] | null;
  @Column({ name: 'ended_at', type: 'timestamptz', nullable: true })
  endedAt: Date | null;
  /** since then it counts for nothing: the pull request was closed or opened again, or has another head */
  @Column({ name: 'retired_at', type: 'timestamptz', nullable: true })
  retiredAt: Date | null;
  /** the newest upload of its plan file, under way or stored */
  @Column({ name: 'plan_upload_id', type: 'uuid', nullable: true })
  planUploadId: string | null;
}
