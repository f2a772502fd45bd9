import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

export type RunKind = 'pull_request' | 'drift' | 'index';
export type RunType = 'apply' | 'build-config' | 'build-tree' | 'index' | 'plan';
export type WorkManifestState = 'queued' | 'running' | 'completed' | 'aborted';

/** One run over some directories of a repository. */
@Entity('work_manifests')
export class WorkManifestEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;
  @Column({ name: 'installation_id', type: 'uuid' })
  @ForeignKey('InstallationEntity', { onDelete: 'CASCADE' })
  installationId: string;
  @Column({ name: 'repository_id', type: 'uuid' })
  @ForeignKey('RepositoryEntity', { onDelete: 'CASCADE' })
  repositoryId: string;
  /** null: a drift or index run */
  @Column({ name: 'pull_number', type: 'integer', nullable: true })
  pullNumber: number | null;
  @Column({ name: 'pull_title', type: 'text', nullable: true })
  pullTitle: string | null;
  @Column({ type: 'text' })
  kind: RunKind;
  @Column({ name: 'run_type', type: 'text' })
  runType: RunType;
  @Column({ type: 'text' })
  state: WorkManifestState;
  @Column({ type: 'text' })
  owner: string;
  @Column({ type: 'text' })
  repo: string;
  /** author of the pull request for what an event started, else who commented */
  @Column({ type: 'text', nullable: true })
  username: string | null;
  @Column({ type: 'text', nullable: true })
  environment: string | null;
  @Column({ type: 'text' })
  branch: string;
  /** commit of the branch */
  @Column({ name: 'branch_ref', type: 'text' })
  branchRef: string;
  @Column({ name: 'base_branch', type: 'text' })
  baseBranch: string;
  @Column({ name: 'base_ref', type: 'text' })
  baseRef: string;
  @Column({ name: 'tag_query', type: 'text', default: '' })
  tagQuery: string;
  /** of the CI run */
  @Column({ name: 'run_id', type: 'text', nullable: true })
  runId: string | null;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ name: 'started_at', type: 'timestamptz', nullable: true })
  startedAt: Date | null;
  @Column({ name: 'completed_at', type: 'timestamptz', nullable: true })
  completedAt: Date | null;
  /** why it was aborted */
  @Column({ name: 'error_id', type: 'text', nullable: true })
  errorId: string | null;
  @Column({ name: 'error_data', type: 'text', nullable: true })
  errorData: string | null;
}
