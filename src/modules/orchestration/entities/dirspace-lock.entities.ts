import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** A dirspace is in one mode at a time. */
@Entity('dirspace_modes')
export class DirspaceModeEntity {
  @PrimaryColumn({ name: 'repository_id', type: 'uuid' })
  @ForeignKey('RepositoryEntity', { onDelete: 'CASCADE' })
  repositoryId: string;
  @PrimaryColumn({ type: 'text' })
  dir: string;
  @PrimaryColumn({ type: 'text' })
  workspace: string;
  @Column({ type: 'text' })
  mode: 'plan' | 'apply';
}

/** What runs where at this moment. */
@Entity('running_dirspaces')
export class RunningDirspaceEntity {
  @PrimaryColumn({ name: 'work_manifest_id', type: 'uuid' })
  @ForeignKey('WorkManifestEntity', { onDelete: 'CASCADE' })
  workManifestId: string;
  @Column({ name: 'repository_id', type: 'uuid' })
  repositoryId: string;
  @PrimaryColumn({ type: 'text' })
  dir: string;
  @PrimaryColumn({ type: 'text' })
  workspace: string;
  @Column({ type: 'text' })
  mode: 'plan' | 'apply';
}

/**
 * From the beginning of an apply its pull request holds the directory, until merge, close or unlock. A run that reconciles
 * drift holds it from its dispatch to its end, and one that was given up after it began until unlock.
 */
@Entity('dirspace_holds')
export class DirspaceHoldEntity {
  @PrimaryColumn({ name: 'repository_id', type: 'uuid' })
  @ForeignKey('RepositoryEntity', { onDelete: 'CASCADE' })
  repositoryId: string;
  @PrimaryColumn({ type: 'text' })
  dir: string;
  @PrimaryColumn({ type: 'text' })
  workspace: string;
  /** null: the run `workManifestId` reconciles drift */
  @Column({ name: 'pull_number', type: 'integer', nullable: true })
  pullNumber: number | null;
  @Column({ name: 'work_manifest_id', type: 'uuid', nullable: true })
  @ForeignKey('WorkManifestEntity', { onDelete: 'SET NULL' })
  workManifestId: string | null;
  @Column({ type: 'text', nullable: true })
  username: string | null;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
