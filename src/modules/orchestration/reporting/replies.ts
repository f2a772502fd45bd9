import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { CodeHosts, type CommentReaction, type HostPlace, type RepositoryEntity } from '../../vcs/index.js';
import { CommentCommandEntity } from '../entities/gate.entities.js';
import { shortened } from './comment-text.rules.js';

/** Clocks of the provider and of this service differ. */
const CLOCK_SKEW_MS = 300_000;

const MARK = '<!-- infrastate:';

export interface Reply {
  /** names what is said, so that it is found again when the answer of the provider was lost */
  key: string;
  text: string;
  /** since when an earlier attempt may have written it; undefined: this is the first one */
  since: Date | undefined;
}

/** What is said in a pull request besides the results of runs, each of it once. */
@Injectable()
export class Replies {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly work: UnitOfWork,
  ) {}

  async react(
    place: HostPlace,
    comment: { number: number; id: string },
    reaction: CommentReaction,
  ): Promise<void> {
    await this.hosts.of(place.installation.provider).addReaction(place, comment, reaction);
  }

  /** Whoever calls this again says since when. */
  async write(place: HostPlace, number: number, { key, text, since }: Reply): Promise<void> {
    const host = this.hosts.of(place.installation.provider);
    // Both providers show nothing of it.
    const mark = `${MARK}${key} -->`;
    if (since !== undefined) {
      const from = new Date(since.getTime() - CLOCK_SKEW_MS);
      if (await host.findCommentWith(place, number, { mark, since: from })) return;
    }
    // Text that is repeated in it, of a configuration for one, must not be taken for a mark.
    const own = text.replaceAll(MARK, '<!-- infrastate ');
    const whole = shortened(own, host.maxCommentLength - mark.length - 2);
    await host.createComment(place, number, `${whole}\n\n${mark}`);
  }

  /** Says something of its own once, however often it is called and whatever fails meanwhile. */
  async say(
    place: HostPlace & { repository: RepositoryEntity },
    number: number,
    { key, text }: Pick<Reply, 'key' | 'text'>,
  ): Promise<void> {
    const repositoryId = place.repository.id;
    const [row] = await this.work.query<{ answered_at: Date | null; created_at: Date; is_new: boolean }>(
      `INSERT INTO comment_commands (repository_id, comment_id) VALUES ($1, $2)
       ON CONFLICT (repository_id, comment_id) DO UPDATE SET comment_id = excluded.comment_id
       RETURNING answered_at, created_at, xmax = 0 AS is_new`,
      [repositoryId, key],
    );
    if (!row || row.answered_at !== null) return;
    await this.write(place, number, { key, text, since: row.is_new ? undefined : row.created_at });
    await this.work.manager.update(
      CommentCommandEntity,
      { repositoryId, commentId: key },
      { answeredAt: () => 'now()' },
    );
  }
}
