import { Injectable } from '@nestjs/common';
import { Events } from '../../../platform/events/index.js';
import { type CiJobEnd, CodeEventHandlers, type CodeEventKind, type CodeEvents } from '../code-events.js';
import type { InstallationEntity } from '../entities/installation.entity.js';
import type { RepositoryEntity } from '../entities/repository.entity.js';
import { type ToldHead, PullRequestsStore } from '../repositories/pull-requests.store.js';
import { RepositorySync } from '../repositories/repository-sync.service.js';
import { RepositoriesFound } from '../repositories-found.event.js';
import type { HandledAs } from './handled-as.js';

/** Where something happened. */
export interface HappenedAt {
  deliveryId: string;
  receivedAt: Date;
  installation: InstallationEntity;
  repository: RepositoryEntity;
}

/** What a delivery says of a pull request. */
interface PullRequestNews {
  number: number;
  /** undefined: nothing follows from it */
  change: CodeEvents['pull-request']['change'] | undefined;
  /** head that the delivery tells of */
  head?: ToldHead | undefined;
}

type Further<Kind extends CodeEventKind> = Omit<
  CodeEvents[Kind],
  'deliveryId' | 'receivedAt' | 'installation' | 'tenantId' | 'repository'
>;

/** Takes over what happened to a pull request or branch, and tells those who act on it while the installation is linked. */
@Injectable()
export class EventPublishing {
  constructor(
    private readonly handlers: CodeEventHandlers,
    private readonly repositorySync: RepositorySync,
    private readonly pullRequests: PullRequestsStore,
    private readonly events: Events,
  ) {}

  /** Repositories appeared or are called otherwise; nobody acts on them before the installation is linked. */
  async repositoriesFound(
    { id, tenantId }: InstallationEntity,
    providerIds: readonly string[],
  ): Promise<void> {
    if (tenantId !== null && providerIds.length > 0)
      await this.events.publish(new RepositoriesFound(id, providerIds));
  }

  async pullRequest(
    at: HappenedAt,
    { number, change, head }: PullRequestNews,
    signal: AbortSignal,
  ): Promise<HandledAs> {
    const { installation, repository } = at;
    const synced = await this.repositorySync.syncPullRequest(installation, repository, number, signal);
    if (!synced) return 'ignored';
    if (head) await this.pullRequests.recordHead(synced.pullRequest, head, at.receivedAt);
    if (change !== undefined) await this.publish('pull-request', at, { change, ...synced });
    return 'processed';
  }

  async comment(
    at: HappenedAt,
    number: number,
    comment: CodeEvents['comment']['comment'],
    signal: AbortSignal,
  ): Promise<HandledAs> {
    const { installation, repository } = at;
    // Nobody answers there; the pull request is recorded with its own deliveries.
    if (installation.tenantId === null) return 'ignored';
    const synced = await this.repositorySync.syncPullRequest(installation, repository, number, signal);
    if (!synced) return 'ignored';
    await this.publish('comment', at, { pullRequest: synced.pullRequest, comment });
    return 'processed';
  }

  /** Of the default branch only. */
  async push(at: HappenedAt, ref: string, sha: string, signal: AbortSignal): Promise<HandledAs> {
    const { installation, repository } = at;
    const branch = repository.defaultBranch;
    if (branch === null || ref !== `refs/heads/${branch}` || /^0*$/.test(sha)) return 'ignored';
    await this.repositorySync.syncSetup(installation, repository, signal);
    await this.publish('push', at, { branch, sha });
    return 'processed';
  }

  async jobEnded(at: HappenedAt, runId: string, end: CiJobEnd): Promise<HandledAs> {
    await this.publish('ci-job-ended', at, { runId, end });
    return 'processed';
  }

  private async publish<Kind extends Exclude<CodeEventKind, 'repository-removed'>>(
    kind: Kind,
    at: HappenedAt,
    further: Further<Kind>,
  ): Promise<void> {
    const { tenantId } = at.installation;
    if (tenantId === null) return;
    const event = { ...at, tenantId, ...further };
    await this.handlers.dispatch(kind, event as unknown as CodeEvents[Kind]);
  }
}
