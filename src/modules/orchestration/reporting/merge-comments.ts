import { Injectable } from '@nestjs/common';
import type { HostPlace, RepositoryEntity } from '../../vcs/index.js';
import { RunProgress } from '../runs/run-progress.queries.js';
import { leftByMerge, mergeComment } from './merge-comment.rules.js';
import { Replies } from './replies.js';

/** Says once that a pull request was merged before all of its changes were applied. */
@Injectable()
export class MergeComments {
  constructor(
    private readonly replies: Replies,
    private readonly progress: RunProgress,
  ) {}

  async say(
    place: HostPlace & { repository: RepositoryEntity },
    { number, sha }: { number: number; sha: string },
  ): Promise<void> {
    const { id } = place.repository;
    const progress = await this.progress.of(id, number, sha);
    const text = mergeComment(leftByMerge(progress, await this.progress.givenUp(id, number, sha)));
    if (text === undefined) return;
    await this.replies.say(place, number, { key: `merged:${number}`, text });
  }
}
