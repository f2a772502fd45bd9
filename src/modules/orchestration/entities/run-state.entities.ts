import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** A state that a run reaches, by the dirspace that uses it. */
@Entity('work_manifest_states')
export class RunStateEntity {
  @PrimaryColumn({ name: 'work_manifest_id', type: 'uuid' })
  @ForeignKey('WorkManifestEntity', { onDelete: 'CASCADE' })
  workManifestId: string;
  @PrimaryColumn({ type: 'integer' })
  position: number;
  @Column({ name: 'state_id', type: 'uuid' })
  @ForeignKey('StateEntity', { onDelete: 'CASCADE' })
  stateId: string;
}

/** A group of states that runs of a repository created; later runs of the same repository reach it. */
@Entity('repository_state_groups')
export class RepositoryStateGroupEntity {
  @PrimaryColumn({ name: 'group_id', type: 'uuid' })
  groupId: string;
  @Column({ name: 'repository_id', type: 'uuid' })
  @ForeignKey('RepositoryEntity', { onDelete: 'CASCADE' })
  repositoryId: string;
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
