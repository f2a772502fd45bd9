import { Column, Entity, ForeignKey, PrimaryGeneratedColumn } from 'typeorm';

export type PullRequestState = 'open' | 'closed' | 'merged';

@Entity('pull_requests')
export class PullRequestEntity {
  @PrimaryGeneratedColumn('uuid')
  id: string;
  @Column({ name: 'repository_id', type: 'uuid' })
  @ForeignKey('RepositoryEntity', { onDelete: 'CASCADE' })
  repositoryId: string;
  /** the repository's installation; follows when the repository moves */
  @Column({ name: 'installation_id', type: 'uuid' })
  installationId: string;
  @Column({ type: 'integer' })
  number: number;
  @Column({ type: 'text', nullable: true })
  title: string | null;
  /** who opened it */
  @Column({ type: 'text', nullable: true })
  username: string | null;
  @Column({ type: 'text' })
  branch: string;
  @Column({ type: 'text' })
  sha: string;
  @Column({ name: 'base_branch', type: 'text' })
  baseBranch: string;
  @Column({ name: 'base_sha', type: 'text' })
  baseSha: string;
  @Column({ type: 'text' })
  state: PullRequestState;
  @Column({ name: 'is_draft', type: 'boolean', default: false })
  isDraft: boolean;
  /** the head lies in another repository */
  @Column({ name: 'is_fork', type: 'boolean', default: false })
  isFork: boolean;
  @Column({ name: 'merged_at', type: 'timestamptz', nullable: true })
  mergedAt: Date | null;
  @Column({ name: 'merged_sha', type: 'text', nullable: true })
  mergedSha: string | null;
  @Column({ name: 'closed_at', type: 'timestamptz', nullable: true })
  closedAt: Date | null;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  /** as the provider says */
  @Column({ name: 'updated_at', type: 'timestamptz' })
  updatedAt: Date;
  /** head commit of the last push that a webhook told of */
  @Column({ name: 'pushed_sha', type: 'text', nullable: true })
  pushedSha: string | null;
  /** who pushed that commit */
  @Column({ name: 'pushed_by', type: 'text', nullable: true })
  pushedBy: string | null;
  /** since when the head is known to be this commit; the database completes it for releases that do not know of it */
  @Column({ name: 'head_at', type: 'timestamptz', nullable: true })
  headAt: Date | null;
  /** when this service first saw that it was merged, by its own clock; completed in the same way */
  @Column({ name: 'merge_seen_at', type: 'timestamptz', nullable: true })
  mergeSeenAt: Date | null;
  @Column({ name: 'latest_work_manifest_run_at', type: 'timestamptz', nullable: true })
  latestWorkManifestRunAt: Date | null;
}
