import { Injectable } from '@nestjs/common';
import { AppError } from '../../../platform/errors/index.js';
import type { CiJobEnd } from '../code-events.js';
import type { InstallationEntity } from '../entities/installation.entity.js';
import type { HostComment } from '../hosts/code-host.js';
import { CodeHosts } from '../hosts/code-hosts.js';
import { toRepository } from '../hosts/gitlab-mapping.rules.js';
import { flagAt, idAt, objectAt, ordinalAt, textAt, wordAt } from '../hosts/json-fields.js';
import type { ToldHead } from '../repositories/pull-requests.store.js';
import { RepositorySync } from '../repositories/repository-sync.service.js';
import type { HandledAs } from './handled-as.js';
import { EventPublishing, type HappenedAt } from './event-publishing.js';

interface GitlabDelivery {
  id: string;
  receivedAt: Date;
  event: string;
  action: string | null;
  payload: unknown;
  installation: InstallationEntity;
  /** the first one of the group: it shows that the webhook works, and starts nothing */
  wasPending: boolean;
}

/** Users that stand for access tokens of projects and groups, service accounts as GitLab names them, and GitLab's own. */
const BOT_NAMES =
  /^(?:(?:project|group)_\d+_bot(?:_|\d|$)|service_account_(?:(?:group|project)_\d+_)?[0-9a-f]{8,}$|(?:alert|support|ghost|duo)[-_]?(?:bot|code|user)?$)/i;

/** Events of groups and of the whole server that name a project by its id. */
const PROJECT_EVENTS = new Set([
  'project_create',
  'project_destroy',
  'project_rename',
  'project_transfer',
  'project_update',
]);

/** What webhooks of GitLab groups and projects mean. */
@Injectable()
export class GitlabDeliveries {
  constructor(
    private readonly repositorySync: RepositorySync,
    private readonly publishing: EventPublishing,
    private readonly hosts: CodeHosts,
  ) {}

  async handle(delivery: GitlabDelivery, signal: AbortSignal): Promise<HandledAs> {
    const { installation, payload } = delivery;
    if (PROJECT_EVENTS.has(delivery.event)) return this.syncProject(delivery, signal);
    const told = projectOf(payload);
    if (!told) return 'ignored';
    if (delivery.wasPending) {
      await this.syncFirst(installation, told.providerId, signal);
      return 'processed';
    }
    if (!concerns(delivery)) return 'ignored';
    const repository = await this.repositorySync.findOrRecord(installation, told, signal);
    if (!repository) return 'ignored';
    const { id: deliveryId, receivedAt } = delivery;
    return this.happened(delivery, { deliveryId, receivedAt, installation, repository }, signal);
  }

  /** Only the provider says whether the project is of the group; without a token, a later delivery or refresh records it. */
  private async syncFirst(
    installation: InstallationEntity,
    projectId: string,
    signal: AbortSignal,
  ): Promise<void> {
    try {
      await this.repositorySync.sync(installation, projectId, signal);
    } catch (error) {
      if (!(error instanceof AppError && error.id === 'PROVIDER_REFUSED')) throw error;
    }
  }

  /** The provider says where the project is now: another name, another group, or gone. */
  private async syncProject(
    { installation, payload, wasPending }: GitlabDelivery,
    signal: AbortSignal,
  ): Promise<HandledAs> {
    const id = idAt(payload, 'project_id') ?? idAt(payload, 'project', 'id');
    if (id === undefined || wasPending) return 'ignored';
    if (await this.repositorySync.sync(installation, id, signal))
      await this.publishing.repositoriesFound(installation, [id]);
    return 'processed';
  }

  private async happened(
    { event, action, payload }: GitlabDelivery,
    at: HappenedAt,
    signal: AbortSignal,
  ): Promise<HandledAs> {
    switch (event) {
      case 'push':
        return this.publishing.push(at, textAt(payload, 'ref') ?? '', textAt(payload, 'after') ?? '', signal);
      case 'build': {
        const runId = idAt(payload, 'pipeline_id');
        const end = jobEndOf(payload);
        if (runId === undefined || end === undefined) return 'ignored';
        return this.publishing.jobEnded(at, runId, end);
      }
      case 'merge_request': {
        const number = ordinalAt(payload, 'object_attributes', 'iid');
        if (number === undefined) return 'ignored';
        const change = changeOf(action, payload);
        return this.publishing.pullRequest(at, { number, change, head: headOf(payload) }, signal);
      }
      default: {
        const number = ordinalAt(payload, 'merge_request', 'iid');
        const id = idAt(payload, 'object_attributes', 'id');
        const username = wordAt(payload, 'user', 'username');
        if (number === undefined || id === undefined || username === undefined) return 'ignored';
        const body = textAt(payload, 'object_attributes', 'note') ?? '';
        const comment = { id, body, username };
        const written = await this.findWritten(at, number, comment, signal);
        if (!written || (await this.isOwnBot(at, username, signal))) return 'ignored';
        return this.publishing.comment(at, number, { ...comment, createdAt: written.createdAt }, signal);
      }
    }
  }

  /** A service account may have any name. */
  private isOwnBot({ installation }: HappenedAt, username: string, signal: AbortSignal): Promise<boolean> {
    return this.hosts.of('gitlab').isOwnBot(installation, username, signal);
  }

  /**
   * The comment, if that person wrote that text there. The webhook's secret is known to whoever maintains the group, so a
   * delivery proves nobody's name; and a comment that was changed or deleted meanwhile does not act.
   */
  private async findWritten(
    { installation, repository }: HappenedAt,
    number: number,
    { id, body, username }: { id: string; body: string; username: string },
    signal: AbortSignal,
  ): Promise<HostComment | undefined> {
    if (installation.tenantId === null) return undefined;
    const place = { installation, repository };
    const found = await this.hosts.of('gitlab').findComment(place, { number, id }, signal);
    return found?.username === username && found.body === body ? found : undefined;
  }
}

const JOB_ENDS: Readonly<Record<string, CiJobEnd>> = {
  failed: 'failed',
  canceled: 'cancelled',
  skipped: 'skipped',
};

function jobEndOf(payload: unknown): CiJobEnd | undefined {
  const status = textAt(payload, 'build_status') ?? '';
  return Object.hasOwn(JOB_ENDS, status) ? JOB_ENDS[status] : undefined;
}

/** Whether something follows from the delivery; asks nothing. */
function concerns({ event, action, payload }: GitlabDelivery): boolean {
  switch (event) {
    case 'push':
      return true;
    case 'build':
      return jobEndOf(payload) !== undefined;
    case 'merge_request':
      return ['open', 'reopen', 'update', 'merge', 'close'].includes(action ?? '');
    case 'note':
      return (
        action === 'create' &&
        textAt(payload, 'object_attributes', 'noteable_type') === 'MergeRequest' &&
        !flagAt(payload, 'object_attributes', 'system') &&
        !BOT_NAMES.test(textAt(payload, 'user', 'username') ?? '')
      );
    default:
      return false;
  }
}

function changeOf(
  action: string | null,
  payload: unknown,
): 'opened' | 'reopened' | 'updated' | 'ready' | 'closed' | undefined {
  switch (action ?? '') {
    case 'open':
      return 'opened';
    case 'reopen':
      return 'reopened';
    case 'merge':
    case 'close':
      return 'closed';
    default: {
      const draft = objectAt(payload, 'changes', 'draft');
      if (draft?.['previous'] === true && draft['current'] === false) return 'ready';
      if (objectAt(payload, 'changes', 'target_branch') !== undefined) return 'updated';
      // `oldrev` is there when commits were pushed; otherwise only the description changed.
      return wordAt(payload, 'object_attributes', 'oldrev') === undefined ? undefined : 'updated';
    }
  }
}

/** `oldrev` is there when commits were pushed. */
function headOf(payload: unknown): ToldHead | undefined {
  const sha = wordAt(payload, 'object_attributes', 'last_commit', 'id');
  const isPush = wordAt(payload, 'object_attributes', 'oldrev') !== undefined;
  const pushedBy = isPush ? wordAt(payload, 'user', 'username') : undefined;
  return sha === undefined ? undefined : { sha, pushedBy };
}

/** Job events carry the project in another form than all others. */
function projectOf(payload: unknown): ReturnType<typeof toRepository> {
  const project = objectAt(payload, 'project');
  if (project) {
    const told = toRepository({ id: idAt(payload, 'project_id'), ...project });
    if (told) return told;
  }
  const id = idAt(payload, 'project_id');
  const webUrl = textAt(payload, 'repository', 'homepage') ?? '';
  const path = /^https?:\/\/[^/]+\/(.+)$/.exec(webUrl)?.[1];
  return toRepository({ id, path_with_namespace: path, web_url: webUrl });
}
