import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import { InvalidRepoConfig } from '../../repo-config/index.js';
import {
  ConfigurationMistakesEntity,
  type StoredMistake,
} from '../entities/configuration-mistakes.entity.js';

const MAX_MISTAKES = 20;
const MAX_TEXT_LENGTH = 2000;

interface PullRequestCommit {
  repositoryId: string;
  pullNumber: number;
  sha: string;
}

/** Table `configuration_mistakes`. */
@Injectable()
export class ConfigurationMistakes {
  constructor(private readonly work: UnitOfWork) {}

  /** Replaces what stands there for the pull request. */
  async save({ repositoryId, pullNumber, sha }: PullRequestCommit, error: Error): Promise<void> {
    await this.work.query(
      `INSERT INTO configuration_mistakes (repository_id, pull_number, sha, mistakes) VALUES ($1, $2, $3, $4)
       ON CONFLICT (repository_id, pull_number) DO UPDATE
          SET sha = excluded.sha, mistakes = excluded.mistakes, created_at = now()`,
      [repositoryId, pullNumber, sha, JSON.stringify(mistakesOf(error))],
    );
  }

  async clear(repositoryId: string, pullNumber: number): Promise<void> {
    await this.work.manager.delete(ConfigurationMistakesEntity, { repositoryId, pullNumber });
  }

  /** Nothing for another commit, and once a run of the commit has been created since. */
  async list({ repositoryId, pullNumber, sha }: PullRequestCommit): Promise<StoredMistake[]> {
    const [found] = await this.work.query<{ mistakes: StoredMistake[] }>(
      `SELECT c.mistakes FROM configuration_mistakes c
        WHERE c.repository_id = $1 AND c.pull_number = $2 AND c.sha = $3 AND NOT EXISTS (
          SELECT FROM work_manifest_dirspaces d
           WHERE d.repository_id = c.repository_id AND d.pull_number = c.pull_number AND d.sha = c.sha
             AND d.created_at > c.created_at)`,
      [repositoryId, pullNumber, sha],
    );
    return found?.mistakes ?? [];
  }
}

function mistakesOf(error: Error): StoredMistake[] {
  if (!(error instanceof InvalidRepoConfig)) return [{ message: textOf(error.message) }];
  return error.mistakes.slice(0, MAX_MISTAKES).map(({ file, line, key, message }) => ({
    file: textOf(file),
    line,
    key: textOf(key),
    message: textOf(message),
  }));
}

function textOf(text: string): string {
  return storableText(text.slice(0, MAX_TEXT_LENGTH));
}
