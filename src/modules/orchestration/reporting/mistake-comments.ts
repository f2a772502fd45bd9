import { Injectable } from '@nestjs/common';
import type { HostPlace, RepositoryEntity } from '../../vcs/index.js';
import { plainText } from '../planning/inline-text.rules.js';
import { fenced } from './comment-text.rules.js';
import { ConfigurationMistakes } from '../runs/configuration-mistakes.store.js';
import { CommitStatuses } from './commit-statuses.service.js';
import { Replies } from './replies.js';

/** Says once for each commit, and on its page, that a configuration cannot be used; its plan has failed then. */
@Injectable()
export class MistakeComments {
  constructor(
    private readonly replies: Replies,
    private readonly statuses: CommitStatuses,
    private readonly known: ConfigurationMistakes,
  ) {}

  async say(
    place: HostPlace & { repository: RepositoryEntity },
    { number, sha }: { number: number; sha: string },
    problem: Error,
  ): Promise<void> {
    await this.known.save({ repositoryId: place.repository.id, pullNumber: number, sha }, problem);
    const pullRequest = { number, sha };
    await this.statuses.set(place, pullRequest, {
      context: 'infrastate plan',
      state: 'failure',
      description: 'the configuration is not valid',
      runId: undefined,
    });
    const text = `The configuration cannot be used; nothing was planned.\n\n${fenced(plainText(problem.message).slice(0, 20_000))}`;
    await this.replies.say(place, number, { key: `mistake:${number}:${sha}`, text });
  }

  /** The configuration can be used again. */
  async clear(repositoryId: string, number: number): Promise<void> {
    await this.known.clear(repositoryId, number);
  }
}
