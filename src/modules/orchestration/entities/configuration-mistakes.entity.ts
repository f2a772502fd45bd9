import { Column, Entity, ForeignKey, PrimaryColumn } from 'typeorm';

/** `file`, `line` (from one) and `key` are absent for mistakes that are in no single place. */
export interface StoredMistake {
  file?: string;
  line?: number;
  key?: string;
  message: string;
}

/** Why nothing could be planned for a commit of a pull request. */
@Entity('configuration_mistakes')
export class ConfigurationMistakesEntity {
  @PrimaryColumn({ name: 'repository_id', type: 'uuid' })
  @ForeignKey('RepositoryEntity', { onDelete: 'CASCADE' })
  repositoryId: string;
  @PrimaryColumn({ name: 'pull_number', type: 'integer' })
  pullNumber: number;
  @Column({ type: 'text' })
  sha: string;
  @Column({ type: 'jsonb' })
  mistakes: StoredMistake[];
  @Column({ name: 'created_at', type: 'timestamptz' })
  createdAt: Date;
}
