import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/index.js';
import { CodeHosts, type CommitStatus, type HostPlace } from '../../vcs/index.js';
import type { ArtifactKind } from '../entities/commit-artifact.entity.js';
import type { Change } from '../planning/changes.js';
import { RunProgress } from '../runs/run-progress.queries.js';
import { commitStatuses } from './commit-status.rules.js';

/** Statuses at the same time for one commit. */
const MAX_CONCURRENT = 5;
/** A commit has room for a bounded number of statuses; the two of the whole always stand. */
const MAX_STATUSES = 100;

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
    if (change.awaits !== undefined) {
      const what = change.awaits === 'index' ? 'the index of the repository' : 'the configuration';
      const isFailed = failedKind === change.awaits;
      await this.set(place, pullRequest.sha, {
        context: 'infrastate plan',
        state: isFailed ? 'failure' : 'pending',
        description: isFailed ? `${what} could not be made; see the comment` : `waiting for ${what}`,
      });
      return;
    }
    const commit = [place.repository.id, pullRequest.number, pullRequest.sha] as const;
    const progress = await this.progress.of(...commit);
    const [givenUp, attempted] = [
      await this.progress.givenUp(...commit),
      await this.progress.attemptedApplies(...commit),
    ];
    const statuses = commitStatuses(changed, progress, givenUp, attempted).slice(0, MAX_STATUSES);
    for (let at = 0; at < statuses.length; at += MAX_CONCURRENT)
      await Promise.all(
        statuses.slice(at, at + MAX_CONCURRENT).map((status) => this.set(place, pullRequest.sha, status)),
      );
  }

  async set(place: HostPlace, sha: string, status: Omit<CommitStatus, 'targetUrl'>): Promise<void> {
    const { provider, installationId } = place.installation;
    const targetUrl = new URL(
      `/installations/${provider}/${encodeURIComponent(installationId)}/runs`,
      this.config.get('SERVICE_UI_BASE'),
    ).toString();
    await this.hosts.of(provider).setStatus(place, sha, { ...status, targetUrl });
  }
}
