import { Injectable } from '@nestjs/common';
import type { HostPlace, RepositoryEntity } from '../../vcs/index.js';
import { fenced, plainText } from './comment-text.rules.js';
import { CommitStatuses } from './commit-statuses.service.js';
import { Replies } from './replies.js';

/** Says once for each commit that a configuration cannot be used; its plan has failed then. */
@Injectable()
export class MistakeComments {
  constructor(
    private readonly replies: Replies,
    private readonly statuses: CommitStatuses,
  ) {}

  async say(
    place: HostPlace & { repository: RepositoryEntity },
    { number, sha }: { number: number; sha: string },
    problem: string,
  ): Promise<void> {
    await this.statuses.set(place, sha, {
      context: 'infrastate plan',
      state: 'failure',
      description: 'the configuration is not valid',
    });
    const text = `The configuration cannot be used; nothing was planned.\n\n${fenced(plainText(problem).slice(0, 20_000))}`;
    await this.replies.say(place, number, { key: `mistake:${number}:${sha}`, text });
  }
}
