import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { CodeHosts, type HostPlace, type RepositoryEntity } from '../../vcs/index.js';
import type { ArtifactKind } from '../entities/commit-artifact.entity.js';
import type { Change } from '../planning/changes.js';
import { type PlannedHead, RunProgress } from '../runs/run-progress.queries.js';
import { commitStatuses, type RunStatus } from './commit-status.rules.js';

/** Statuses at the same time for one commit. */
const MAX_CONCURRENT = 5;

/** Statuses on the head commit. Setting one that stands already is no error. */
@Injectable()
export class CommitStatuses {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly progress: RunProgress,
    private readonly config: Config,
  ) {}

  /** `failedKind`: what a run should have found out and did not. */
  async refresh(change: Change, failedKind?: ArtifactKind): Promise<void> {
    const { place, pullRequest, changed } = change;
    const { number: pullNumber, sha, baseBranch } = pullRequest;
    const head = { repositoryId: place.repository.id, pullNumber, sha, baseBranch };
    if (change.awaits !== undefined) {
      const what = change.awaits === 'index' ? 'the index of the repository' : 'the configuration';
      const isFailed = failedKind === change.awaits;
      await this.set(place, pullRequest, {
        context: 'infrastate plan',
        state: isFailed ? 'failure' : 'pending',
        description: isFailed ? `${what} could not be made; see the comment` : `waiting for ${what}`,
        runId: await this.progress.newestOfType(head, change.awaits),
      });
      return;
    }
    // Another worker may have set newer statuses in between, so each compares what it has set with the database. It ends
    // once no run of the commit has changed meanwhile.
    let known = new Set<string>();
    for (;;) {
      const statuses = await this.statusesOf(head, changed);
      const differing = statuses.filter((status) => !known.has(JSON.stringify(status)));
      if (differing.length === 0) return;
      for (let at = 0; at < differing.length; at += MAX_CONCURRENT)
        await Promise.all(
          differing.slice(at, at + MAX_CONCURRENT).map((status) => this.set(place, pullRequest, status)),
        );
      known = new Set(statuses.map((status) => JSON.stringify(status)));
    }
  }

  private async statusesOf(head: PlannedHead, changed: Change['changed']): Promise<RunStatus[]> {
    return commitStatuses(changed, {
      progress: await this.progress.of(head),
      givenUp: await this.progress.givenUp(head),
      newest: await this.progress.newest(head),
    });
  }

  /** Leads to the page of its run, or to that of the pull request. */
  async set(
    place: HostPlace & { repository: RepositoryEntity },
    { number, sha }: { number: number; sha: string },
    { runId, ...status }: RunStatus,
  ): Promise<void> {
    const { provider, installationId } = place.installation;
    const page =
      runId === undefined
        ? `pull-requests/${encodeURIComponent(place.repository.providerId)}/${number}`
        : `runs/${runId}`;
    const targetUrl = new URL(
      `/installations/${provider}/${encodeURIComponent(installationId)}/${page}`,
      this.config.get('SERVICE_UI_BASE'),
    ).toString();
    await this.hosts.of(provider).setStatus(place, sha, { ...status, targetUrl });
  }
}
