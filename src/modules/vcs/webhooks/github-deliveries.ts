import { Injectable } from '@nestjs/common';
import { AppError } from '../../../platform/errors/index.js';
import type { CiJobEnd } from '../code-events.js';
import type { InstallationEntity } from '../entities/installation.entity.js';
import { GithubApp } from '../hosts/github-app.js';
import { toRepository } from '../hosts/github-mapping.rules.js';
import { dateAt, flagAt, idAt, listAt, objectAt, ordinalAt, textAt, wordAt } from '../hosts/json-fields.js';
import { InstallationQueries } from '../installations/installations.queries.js';
import { InstallationsStore } from '../installations/installations.store.js';
import type { ToldHead } from '../repositories/pull-requests.store.js';
import { RepositorySync } from '../repositories/repository-sync.service.js';
import type { HandledAs } from './handled-as.js';
import { EventPublishing, type HappenedAt } from './event-publishing.js';

interface GithubDelivery {
  id: string;
  receivedAt: Date;
  event: string;
  action: string | null;
  payload: unknown;
  /** the provider's own id */
  installationId: string;
}

const PULL_REQUEST_CHANGES: Readonly<Record<string, PullRequestChange>> = {
  opened: 'opened',
  reopened: 'reopened',
  synchronize: 'updated',
  ready_for_review: 'ready',
  closed: 'closed',
};
/** They change the record and start nothing, but for another base branch. */
const RECORDED_CHANGES = new Set(['edited', 'converted_to_draft']);

type PullRequestChange = 'opened' | 'reopened' | 'updated' | 'ready' | 'closed';

/** What webhooks of the GitHub app mean. */
@Injectable()
export class GithubDeliveries {
  constructor(
    private readonly app: GithubApp,
    private readonly installations: InstallationsStore,
    private readonly queries: InstallationQueries,
    private readonly repositorySync: RepositorySync,
    private readonly publishing: EventPublishing,
  ) {}

  async handle(delivery: GithubDelivery, signal: AbortSignal): Promise<HandledAs> {
    const { event, installationId, payload } = delivery;
    if (event === 'installation') return this.syncInstallation(installationId, signal);
    const installation = await this.findOrSync(installationId, signal);
    if (installation?.state !== 'active') return 'ignored';
    if (event === 'installation_repositories') return this.syncRepositories(installation, payload, signal);
    const told = toRepository(objectAt(payload, 'repository'));
    if (!told) return 'ignored';
    if (event === 'repository') {
      if (!(await this.repositorySync.sync(installation, told.providerId, signal))) return 'ignored';
      await this.publishing.repositoriesFound(installation, [told.providerId]);
      return 'processed';
    }
    if (!this.concerns(delivery)) return 'ignored';
    const repository = await this.repositorySync.findOrRecord(installation, told, signal);
    if (!repository) return 'ignored';
    const { id: deliveryId, receivedAt } = delivery;
    return this.happened(delivery, { deliveryId, receivedAt, installation, repository }, signal);
  }

  /** Whether the delivery is of a kind that something follows from; asks nothing. */
  private concerns({ event, action, payload }: GithubDelivery): boolean {
    switch (event) {
      case 'pull_request':
        return (
          action !== null && (Object.hasOwn(PULL_REQUEST_CHANGES, action) || RECORDED_CHANGES.has(action))
        );
      case 'issue_comment':
        return (
          action === 'created' &&
          objectAt(payload, 'issue', 'pull_request') !== undefined &&
          !isOfBot(payload)
        );
      case 'workflow_job':
        return jobEndOf(payload) !== undefined;
      case 'push':
        return !flagAt(payload, 'deleted');
      default:
        return false;
    }
  }

  private async happened(
    { event, action, payload }: GithubDelivery,
    at: HappenedAt,
    signal: AbortSignal,
  ): Promise<HandledAs> {
    if (event === 'push')
      return this.publishing.push(at, textAt(payload, 'ref') ?? '', textAt(payload, 'after') ?? '', signal);
    if (event === 'workflow_job') {
      const runId = idAt(payload, 'workflow_job', 'run_id');
      const end = jobEndOf(payload);
      if (runId === undefined || end === undefined) return 'ignored';
      return this.publishing.jobEnded(at, runId, end);
    }
    const number = ordinalAt(payload, event === 'pull_request' ? 'pull_request' : 'issue', 'number');
    if (number === undefined) return 'ignored';
    if (event === 'pull_request') {
      const change = changeOf(action, payload);
      return this.publishing.pullRequest(at, { number, change, head: headOf(action, payload) }, signal);
    }
    const id = idAt(payload, 'comment', 'id');
    const username = wordAt(payload, 'comment', 'user', 'login');
    if (id === undefined || username === undefined) return 'ignored';
    const body = textAt(payload, 'comment', 'body') ?? '';
    const createdAt = dateAt(payload, 'comment', 'created_at');
    return this.publishing.comment(at, number, { id, body, username, createdAt }, signal);
  }

  private async findOrSync(installationId: string, signal: AbortSignal): Promise<InstallationEntity | null> {
    const known = await this.queries.findByProviderId('github', installationId);
    if (known) return known;
    await this.syncInstallation(installationId, signal);
    return this.queries.findByProviderId('github', installationId);
  }

  private async syncInstallation(installationId: string, signal: AbortSignal): Promise<HandledAs> {
    const found = await this.app.findInstallation(installationId, signal);
    if (found) await this.installations.recordApp([found]);
    else await this.installations.markUninstalled('github', installationId);
    return 'processed';
  }

  /** Repositories that the app was given or that were taken from it. */
  private async syncRepositories(
    installation: InstallationEntity,
    payload: unknown,
    signal: AbortSignal,
  ): Promise<HandledAs> {
    const named = [...listAt(payload, 'repositories_added'), ...listAt(payload, 'repositories_removed')];
    const found: string[] = [];
    let refusal: AppError | undefined;
    for (const json of named) {
      const providerId = idAt(json, 'id');
      if (providerId === undefined) continue;
      try {
        if (await this.repositorySync.sync(installation, providerId, signal)) found.push(providerId);
      } catch (error) {
        // The others are taken over first; then the delivery waits for this one.
        if (!(error instanceof AppError && error.id === 'PROVIDER_REFUSED')) throw error;
        refusal ??= error;
      }
    }
    await this.publishing.repositoriesFound(installation, found);
    if (refusal) throw refusal;
    return 'processed';
  }
}

function changeOf(action: string | null, payload: unknown): PullRequestChange | undefined {
  if (action === 'edited' && objectAt(payload, 'changes', 'base') !== undefined) return 'updated';
  const name = action ?? '';
  return Object.hasOwn(PULL_REQUEST_CHANGES, name) ? PULL_REQUEST_CHANGES[name] : undefined;
}

/** A workflow may skip jobs of its own on purpose: the upkeep finds a run that ended without its job. */
const JOB_ENDS: Readonly<Record<string, CiJobEnd>> = {
  failure: 'failed',
  timed_out: 'failed',
  cancelled: 'cancelled',
};

function jobEndOf(payload: unknown): CiJobEnd | undefined {
  const conclusion = textAt(payload, 'workflow_job', 'conclusion') ?? '';
  return Object.hasOwn(JOB_ENDS, conclusion) ? JOB_ENDS[conclusion] : undefined;
}

/** Only `synchronize` is sent for a push; who opens a pull request need not have pushed its head. */
function headOf(action: string | null, payload: unknown): ToldHead | undefined {
  const sha = wordAt(payload, 'pull_request', 'head', 'sha');
  const pushedBy = action === 'synchronize' ? wordAt(payload, 'sender', 'login') : undefined;
  return sha === undefined ? undefined : { sha, pushedBy };
}

function isOfBot(payload: unknown): boolean {
  return (
    textAt(payload, 'comment', 'user', 'type') !== 'User' ||
    textAt(payload, 'sender', 'type') === 'Bot' ||
    objectAt(payload, 'comment', 'performed_via_github_app') !== undefined
  );
}
