import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { CodeHosts, type HostPlace, type RepositoryEntity } from '../../vcs/index.js';
import { fenced, plainText } from './comment-text.rules.js';
import { CommitStatuses } from './commit-statuses.service.js';

/** Says once for each commit that a configuration cannot be used; its plan has failed then. */
@Injectable()
export class MistakeComments {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly statuses: CommitStatuses,
    private readonly work: UnitOfWork,
  ) {}

  async say(
    place: HostPlace & { repository: RepositoryEntity },
    { number, sha }: { number: number; sha: string },
    problem: string,
  ): Promise<void> {
    const rows = await this.work.query(
      `INSERT INTO comment_commands (repository_id, comment_id, answered_at) VALUES ($1, $2, now())
       ON CONFLICT DO NOTHING RETURNING comment_id`,
      [place.repository.id, `mistake:${number}:${sha}`],
    );
    await this.statuses.set(place, sha, {
      context: 'infrastate plan',
      state: 'failure',
      description: 'the configuration is not valid',
    });
    if (rows.length === 0) return;
    const text = `The configuration cannot be used; nothing was planned.\n\n${fenced(plainText(problem).slice(0, 20_000))}`;
    await this.hosts.of(place.installation.provider).createComment(place, number, text);
  }
}
