import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

export type ArtifactKind = 'index' | 'build-config';

/**
 * What a run found out about a commit. An index is the same for every pull request. Of a configuration nobody knows here
 * which base branch built it: replicas of the release before read and write it.
 */
@Entity('commit_artifacts')
export class CommitArtifactEntity {
  @PrimaryColumn({ name: 'repository_id', type: 'uuid' })
  @ForeignKey('RepositoryEntity', { onDelete: 'CASCADE' })
  repositoryId: string;
  @PrimaryColumn({ type: 'text' })
  sha: string;
  @PrimaryColumn({ type: 'text' })
  kind: ArtifactKind;
  /** JSON of an index, the text of a configuration */
  @Column({ type: 'text' })
  content: string;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}

/** What the command of a base branch printed for a commit. */
@Entity('built_configurations')
export class BuiltConfigurationEntity {
  @PrimaryColumn({ name: 'repository_id', type: 'uuid' })
  @ForeignKey('RepositoryEntity', { onDelete: 'CASCADE' })
  repositoryId: string;
  @PrimaryColumn({ type: 'text' })
  sha: string;
  @PrimaryColumn({ name: 'base_branch', type: 'text' })
  baseBranch: string;
  /** of the command that printed it; empty: nobody knows */
  @PrimaryColumn({ name: 'command_hash', type: 'bytea', default: '' })
  commandHash: Buffer;
  @Column({ type: 'text' })
  content: string;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
