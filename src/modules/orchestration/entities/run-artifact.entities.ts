import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** A plan file that a run sent; its bytes lie in sealed parts. */
@Entity('plan_files')
export class PlanFileEntity {
  @PrimaryColumn({ name: 'work_manifest_id', type: 'uuid' })
  @ForeignKey('WorkManifestEntity', { onDelete: 'CASCADE' })
  workManifestId: string;
  @PrimaryColumn({ type: 'integer' })
  position: number;
  @Column({ type: 'bigint' })
  size: string;
  @Column({ type: 'bytea' })
  sha256: Buffer;
  /** whose parts are its bytes; null: those of an older release */
  @Column({ name: 'upload_id', type: 'uuid', nullable: true })
  uploadId: string | null;
}

@Entity('plan_file_parts')
export class PlanFilePartEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;
  @Column({ name: 'work_manifest_id', type: 'uuid' })
  @ForeignKey('WorkManifestEntity', { onDelete: 'CASCADE' })
  workManifestId: string;
  @Column({ type: 'integer' })
  position: number;
  @Column({ type: 'integer' })
  seq: number;
  @Column({ name: 'upload_id', type: 'uuid', nullable: true })
  uploadId: string | null;
  /** sealed */
  @Column({ type: 'bytea' })
  part: Buffer;
}

@Entity('run_log_chunks')
export class RunLogChunkEntity {
  @PrimaryColumn({ name: 'work_manifest_id', type: 'uuid' })
  @ForeignKey('WorkManifestEntity', { onDelete: 'CASCADE' })
  workManifestId: string;
  @PrimaryColumn({ type: 'integer' })
  seq: number;
  @Column({ type: 'timestamptz' })
  at: Date;
  @Column({ type: 'text', nullable: true })
  dir: string | null;
  @Column({ type: 'text', nullable: true })
  workspace: string | null;
  @Column({ type: 'text' })
  text: string;
}

/** Machines of a tenant that run without a CI. */
@Entity('runner_pools')
export class RunnerPoolEntity {
  @PrimaryColumn({ type: 'uuid' })
  id: string;
  @Column({ name: 'tenant_id', type: 'uuid' })
  @ForeignKey('TenantEntity', { onDelete: 'CASCADE' })
  tenantId: string;
  @Column({ type: 'text' })
  name: string;
  @Column({ name: 'token_hash', type: 'bytea' })
  tokenHash: Buffer;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
  @Column({ name: 'last_seen_at', type: 'timestamptz', nullable: true })
  lastSeenAt: Date | null;
}

@Entity('drift_schedules')
export class DriftScheduleEntity {
  @PrimaryColumn({ name: 'repository_id', type: 'uuid' })
  @ForeignKey('RepositoryEntity', { onDelete: 'CASCADE' })
  repositoryId: string;
  @PrimaryColumn({ type: 'text' })
  name: string;
  @Column({ type: 'text' })
  schedule: 'hourly' | 'daily' | 'weekly' | 'monthly';
  @Column({ name: 'tag_query', type: 'text' })
  tagQuery: string;
  @Column({ name: 'is_reconciling', type: 'boolean' })
  isReconciling: boolean;
  /** UTC, `HH:MM` */
  @Column({ name: 'window_start', type: 'text', nullable: true })
  windowStart: string | null;
  @Column({ name: 'window_end', type: 'text', nullable: true })
  windowEnd: string | null;
  @Column({ name: 'next_at', type: 'timestamptz' })
  nextAt: Date;
  @Column({ name: 'last_at', type: 'timestamptz', nullable: true })
  lastAt: Date | null;
  /** leased by a worker, or postponed, until then */
  @Column({ name: 'retry_at', type: 'timestamptz', nullable: true })
  retryAt: Date | null;
  /** since the last run was created */
  @Column({ type: 'integer', default: 0 })
  attempts: number;
  /** why no run could be created */
  @Column({ type: 'text', nullable: true })
  problem: string | null;
  /** started by hand, and still to begin: its time and its window do not count */
  @Column({ name: 'asked_at', type: 'timestamptz', nullable: true })
  askedAt: Date | null;
}

/** What is known of the default branch of a repository, for its drift schedules. */
@Entity('drift_branches')
export class DriftBranchEntity {
  @PrimaryColumn({ name: 'repository_id', type: 'uuid' })
  @ForeignKey('RepositoryEntity', { onDelete: 'CASCADE' })
  repositoryId: string;
  @Column({ type: 'text', nullable: true })
  branch: string | null;
  @Column({ type: 'text', nullable: true })
  sha: string | null;
  /** when the read began whose schedules are stored */
  @Column({ name: 'read_at', type: 'timestamptz', nullable: true })
  readAt: Date | null;
  /** leased by a worker, postponed, or due then */
  @Column({ name: 'next_read_at', type: 'timestamptz' })
  nextReadAt: Date;
  @Column({ type: 'integer', default: 0 })
  attempts: number;
  /** why it could not be read */
  @Column({ type: 'text', nullable: true })
  problem: string | null;
}
