import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

export type ArtifactKind = 'index' | 'build-config';

/** What a run found out about a commit: it is the same for every pull request. */
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
