import { Injectable } from '@nestjs/common';
import type { Change } from '../planning/changes.js';
import type { HostPlace, RepositoryEntity } from '../../vcs/index.js';
import { RunProgress } from '../runs/run-progress.queries.js';
import { leftByMerge, mergeComment, unplannedComment } from './merge-comment.rules.js';
import { Replies } from './replies.js';

type Merged = HostPlace & { repository: RepositoryEntity };

interface MergedPullRequest {
  number: number;
  sha: string;
  baseBranch: string;
}

/** Says once that a pull request was merged before all of its changes were planned and applied. */
@Injectable()
export class MergeComments {
  constructor(
    private readonly replies: Replies,
    private readonly progress: RunProgress,
  ) {}

  /** `change`: undefined where it cannot be read; then only what has run is looked at. */
  async say(place: Merged, pullRequest: MergedPullRequest, change: Change | undefined): Promise<void> {
    await this.write(place, pullRequest.number, mergeComment(await this.left(place, pullRequest, change)));
  }

  /** The same where plans are applied after the merge: what was planned is not left behind. */
  async sayUnplanned(place: Merged, pullRequest: MergedPullRequest, change: Change): Promise<void> {
    await this.write(
      place,
      pullRequest.number,
      unplannedComment(await this.left(place, pullRequest, change)),
    );
  }

  private async left(
    { repository }: Merged,
    { number: pullNumber, sha, baseBranch }: MergedPullRequest,
    change: Change | undefined,
  ) {
    const head = { repositoryId: repository.id, pullNumber, sha, baseBranch };
    const isRun = change !== undefined && change.refusal === undefined;
    return leftByMerge({
      changed: isRun ? change.changed.filter(({ autoplan }) => autoplan) : [],
      progress: await this.progress.of(head),
      givenUp: await this.progress.givenUp(head),
    });
  }

  private async write(place: Merged, number: number, text: string | undefined): Promise<void> {
    if (text === undefined) return;
    await this.replies.say(place, number, { key: `merged:${number}`, text });
  }
}
