import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';
import type { RunSpec } from '../runs/run-spec.js';

export type RunKind = 'pull_request' | 'drift' | 'index';
export type RunType = 'apply' | 'build-config' | 'build-tree' | 'index' | 'plan';
/** `ci`: a workflow or pipeline of the provider; `pool`: machines of the tenant */
export type RunPlace = 'ci' | 'pool';
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
  /** the code host gave that id at the dispatch; false: a guess, or what a runner says; null: an earlier release stored it */
  @Column({ name: 'run_id_told', type: 'boolean', nullable: true })
  isRunIdTold: boolean | null;
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
  /** a hook failed although every dirspace succeeded, or a run without dirspaces failed */
  @Column({ name: 'hooks_failed', type: 'boolean', default: false })
  hooksFailed: boolean;
  /** what asked for it: nothing is created twice; null: a record without a run */
  @Column({ name: 'trigger_key', type: 'text', nullable: true })
  triggerKey: string | null;
  /** the same for people and retries, such as `comment:<id>` */
  @Column({ name: 'asked_by', type: 'text', nullable: true })
  askedBy: string | null;
  /** apply-force: requirements and gates were skipped */
  @Column({ name: 'is_forced', type: 'boolean', default: false })
  isForced: boolean;
  /** apply-autoapprove, reconcile: plans and applies in one run */
  @Column({ name: 'applies_plan', type: 'boolean', default: false })
  appliesPlan: boolean;
  @Column({ type: 'text', default: 'ci' })
  place: RunPlace;
  /** name of the pool */
  @Column({ type: 'text', nullable: true })
  pool: string | null;
  @Column({ type: 'text', default: 'infrastate.yml' })
  workflow: string;
  @Column({ name: 'runs_on', type: 'text', nullable: true })
  runsOn: string | null;
  @Column({ name: 'timeout_minutes', type: 'integer', default: 60 })
  timeoutMinutes: number;
  /** what the runner is told */
  @Column({ type: 'jsonb', nullable: true })
  spec: RunSpec | null;
  @Column({ name: 'work_token_hash', type: 'bytea', nullable: true })
  workTokenHash: Buffer | null;
  @Column({ name: 'dispatch_state', type: 'text', nullable: true })
  dispatchState: 'sending' | 'sent' | null;
  @Column({ name: 'dispatched_at', type: 'timestamptz', nullable: true })
  dispatchedAt: Date | null;
  /** when the provider was first asked to start it */
  @Column({ name: 'first_dispatched_at', type: 'timestamptz', nullable: true })
  firstDispatchedAt: Date | null;
  /** the provider asked to wait until then */
  @Column({ name: 'retry_at', type: 'timestamptz', nullable: true })
  retryAt: Date | null;
  @Column({ name: 'run_url', type: 'text', nullable: true })
  runUrl: string | null;
  /** of the runner that began it */
  @Column({ name: 'run_nonce', type: 'text', nullable: true })
  runNonce: string | null;
  @Column({ name: 'heartbeat_at', type: 'timestamptz', nullable: true })
  heartbeatAt: Date | null;
  /** the comment with its result */
  @Column({ name: 'comment_id', type: 'text', nullable: true })
  commentId: string | null;
  /** when the provider wrote that comment, by its clock */
  @Column({ name: 'comment_at', type: 'timestamptz', nullable: true })
  commentAt: Date | null;
  /** it was begun to be written: before it is written again it is looked for */
  @Column({ name: 'comment_begun_at', type: 'timestamptz', nullable: true })
  commentBegunAt: Date | null;
  /** a worker writes it until then at the latest; null: nobody does */
  @Column({ name: 'comment_writing_until', type: 'timestamptz', nullable: true })
  commentWritingUntil: Date | null;
  /** when it was shortened to a line, since its directories were planned anew */
  @Column({ name: 'comment_outdated_at', type: 'timestamptz', nullable: true })
  commentOutdatedAt: Date | null;
  /** comment and statuses stand */
  @Column({ name: 'reported_at', type: 'timestamptz', nullable: true })
  reportedAt: Date | null;
  /** it is reported again then */
  @Column({ name: 'report_retry_at', type: 'timestamptz', nullable: true })
  reportRetryAt: Date | null;
  /** how often it was asked for again to be reported */
  @Column({ name: 'report_attempts', type: 'integer', default: 0 })
  reportAttempts: number;
}
