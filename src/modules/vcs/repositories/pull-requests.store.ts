import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { PullRequestEntity } from '../entities/pull-request.entity.js';
import type { RepositoryEntity } from '../entities/repository.entity.js';
import type { HostPullRequest } from '../hosts/code-host.js';

const RECORD = {
  name: 'vcs_record_pull_request',
  text: `
  INSERT INTO pull_requests (repository_id, installation_id, number, title, username, branch, sha, base_branch, base_sha,
                             state, is_draft, is_fork, merged_at, merged_sha, closed_at, created_at, updated_at, head_at,
                             merge_seen_at)
  VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, now(),
          CASE WHEN $10 = 'merged' THEN now() END)
  ON CONFLICT (repository_id, number) DO UPDATE
     SET title = excluded.title, username = excluded.username, branch = excluded.branch, sha = excluded.sha,
         base_branch = excluded.base_branch, base_sha = excluded.base_sha, state = excluded.state,
         is_draft = excluded.is_draft, is_fork = excluded.is_fork, merged_at = excluded.merged_at,
         merged_sha = excluded.merged_sha, closed_at = excluded.closed_at, updated_at = excluded.updated_at,
         merge_seen_at = CASE WHEN excluded.state = 'merged' THEN coalesce(pull_requests.merge_seen_at, now()) END,
         head_at = CASE WHEN pull_requests.sha = excluded.sha THEN pull_requests.head_at ELSE excluded.head_at END
   WHERE pull_requests.updated_at <= excluded.updated_at
  RETURNING id, created_at AS "createdAt", latest_work_manifest_run_at AS "latestWorkManifestRunAt",
            pushed_sha AS "pushedSha", pushed_by AS "pushedBy", head_at AS "headAt", merge_seen_at AS "mergeSeenAt"`,
};

type Recorded = Pick<
  PullRequestEntity,
  'id' | 'createdAt' | 'latestWorkManifestRunAt' | 'pushedSha' | 'pushedBy' | 'headAt' | 'mergeSeenAt'
>;
type PullRequestPlace = Pick<PullRequestEntity, 'repositoryId' | 'number'>;

/** A commit that is the head of a pull request, as a delivery says. */
export interface ToldHead {
  sha: string;
  /** undefined: the delivery is about something else than a push */
  pushedBy: string | undefined;
}

@Injectable()
export class PullRequestsStore {
  constructor(private readonly work: UnitOfWork) {}

  /** What the provider says now; an answer that is older than what stands here changes nothing. */
  async record(repository: RepositoryEntity, pull: HostPullRequest): Promise<PullRequestEntity> {
    const { isMergeable: _, ...told } = pull;
    const place = { repositoryId: repository.id, number: pull.number };
    const [recorded] = await this.work.prepared<Recorded>(RECORD, [
      repository.id,
      repository.installationId,
      told.number,
      told.title,
      told.username,
      told.branch,
      told.sha,
      told.baseBranch,
      told.baseSha,
      told.state,
      told.isDraft,
      told.isFork,
      told.mergedAt,
      told.mergedSha,
      told.closedAt,
      told.createdAt,
      told.updatedAt,
    ]);
    if (!recorded) return this.work.manager.findOneByOrFail(PullRequestEntity, place);
    const { installationId } = repository;
    return this.work.manager.create(PullRequestEntity, { ...told, ...recorded, ...place, installationId });
  }

  /** Ignores a commit that is not the head any more. One that is has been since the delivery arrived, at least. */
  async recordHead(
    { repositoryId, number, headAt }: PullRequestPlace & Pick<PullRequestEntity, 'headAt'>,
    { sha, pushedBy }: ToldHead,
    receivedAt: Date,
  ): Promise<void> {
    if (pushedBy === undefined && (headAt === null || headAt <= receivedAt)) return;
    await this.work.query(
      `UPDATE pull_requests SET head_at = least(head_at, $5), pushed_by = coalesce($4, pushed_by),
              pushed_sha = CASE WHEN $4::text IS NULL THEN pushed_sha ELSE sha END
        WHERE repository_id = $1 AND number = $2 AND sha = $3`,
      [repositoryId, number, sha, pushedBy ?? null, receivedAt],
    );
  }

  /** Who pushed the commit; undefined when no webhook told of that push. */
  async findPusher({ repositoryId, number }: PullRequestPlace, sha: string): Promise<string | undefined> {
    const found = await this.work.manager.findOneBy(PullRequestEntity, {
      repositoryId,
      number,
      pushedSha: sha,
    });
    return found?.pushedBy ?? undefined;
  }

  /** When the newest run of a pull request was created; part of the transaction that creates the run. */
  async recordLatestRun(place: PullRequestPlace, at: Date): Promise<void> {
    await this.work.manager.update(PullRequestEntity, place, { latestWorkManifestRunAt: at });
  }
}
