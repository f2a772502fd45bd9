import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { CodeHosts, type HostPlace, type RepositoryEntity } from '../../vcs/index.js';
import { RunProgress } from '../runs/run-progress.queries.js';
import { leftByMerge, mergeComment } from './merge-comment.rules.js';

/** Says once that a pull request was merged before all of its changes were applied. */
@Injectable()
export class MergeComments {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly progress: RunProgress,
    private readonly work: UnitOfWork,
  ) {}

  async say(
    place: HostPlace & { repository: RepositoryEntity },
    { number, sha }: { number: number; sha: string },
  ): Promise<void> {
    const { id } = place.repository;
    const progress = await this.progress.of(id, number, sha);
    const text = mergeComment(leftByMerge(progress, await this.progress.givenUp(id, number, sha)));
    if (text === undefined) return;
    const rows = await this.work.query(
      `INSERT INTO comment_commands (repository_id, comment_id, answered_at) VALUES ($1, $2, now())
       ON CONFLICT DO NOTHING RETURNING comment_id`,
      [id, `merged:${number}`],
    );
    if (rows.length === 0) return;
    try {
      await this.hosts.of(place.installation.provider).createComment(place, number, text);
    } catch (error) {
      // The delivery is worked on again, and says it then.
      await this.work.query(`DELETE FROM comment_commands WHERE repository_id = $1 AND comment_id = $2`, [
        id,
        `merged:${number}`,
      ]);
      throw error;
    }
  }
}
