import { Column, Entity, ForeignKey, PrimaryGeneratedColumn } from 'typeorm';

@Entity('repositories')
export class RepositoryEntity {
  @PrimaryGeneratedColumn('uuid')
  id: string;
  @Column({ name: 'installation_id', type: 'uuid' })
  @ForeignKey('InstallationEntity', { onDelete: 'CASCADE' })
  installationId: string;
  /** the provider's own id, `repo_id` of the API */
  @Column({ name: 'provider_id', type: 'text' })
  providerId: string;
  /** account, or path of the namespace */
  @Column({ type: 'text' })
  owner: string;
  @Column({ type: 'text' })
  name: string;
  /** null: the repository is empty */
  @Column({ name: 'default_branch', type: 'text', nullable: true })
  defaultBranch: string | null;
  @Column({ name: 'clone_url', type: 'text' })
  cloneUrl: string;
  @Column({ name: 'web_url', type: 'text' })
  webUrl: string;
  @Column({ name: 'is_archived', type: 'boolean', default: false })
  isArchived: boolean;
  /** the workflow or pipeline file was seen on the default branch */
  @Column({ name: 'has_workflow', type: 'boolean', default: false })
  hasWorkflow: boolean;
  /** the configuration of this service was seen on the default branch */
  @Column({ name: 'has_configuration', type: 'boolean', default: false })
  hasConfiguration: boolean;
  @Column({ name: 'created_at', type: 'timestamptz', default: () => 'now()' })
  createdAt: Date;
  @Column({ name: 'updated_at', type: 'timestamptz', default: () => 'now()' })
  updatedAt: Date;
}
