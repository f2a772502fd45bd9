import { Injectable, type OnApplicationBootstrap, SetMetadata } from '@nestjs/common';
import { DiscoveryService } from '@nestjs/core';
import { decoratedMethods } from '../../platform/discovery/index.js';
import type { InstallationEntity } from './entities/installation.entity.js';
import type { PullRequestEntity } from './entities/pull-request.entity.js';
import type { RepositoryEntity } from './entities/repository.entity.js';
import type { HostPullRequest } from './hosts/code-host.js';

/** What every event says: the delivery that it came with, and where it happened. The installation is linked. */
export interface CodeEventBase {
  /** ours, the same for every attempt */
  deliveryId: string;
  /** when the delivery arrived; it may be worked on days later */
  receivedAt: Date;
  installation: InstallationEntity;
  /** the tenant that the installation is linked to */
  tenantId: string;
  repository: RepositoryEntity;
}

export type CiJobEnd = 'failed' | 'cancelled' | 'skipped';

/** What webhooks of both providers say, in one form. The rows were asked of the provider and stored before. */
export interface CodeEvents {
  'pull-request': CodeEventBase & {
    /** `updated`: the head moved, the base is another branch, or the description changed; `ready`: no draft any more */
    change: 'opened' | 'reopened' | 'updated' | 'ready' | 'closed';
    pullRequest: PullRequestEntity;
    /** what the provider has just said; undefined where the row knows something newer */
    told: HostPullRequest | undefined;
  };
  /** Somebody wrote a comment on a pull request; never a bot, never the app, never an edit. */
  comment: CodeEventBase & {
    pullRequest: PullRequestEntity;
    comment: {
      id: string;
      body: string;
      username: string;
      /** by the provider's clock; undefined where it does not say */
      createdAt: Date | undefined;
    };
  };
  /** The default branch moved. */
  push: CodeEventBase & { branch: string; sha: string };
  /** A job of a CI run ended without success; `skipped`: it never began. */
  'ci-job-ended': CodeEventBase & { runId: string; end: CiJobEnd };
  /** The repository is about to be removed, with everything that belongs to it; in the removing transaction. */
  'repository-removed': { repository: RepositoryEntity };
}

export type CodeEventKind = keyof CodeEvents;

const HANDLES = 'vcs:handles-code-event';

/**
 * Marks a provider's method as a handler of what webhooks say. It runs in a job, outside of a transaction, in order per
 * repository, at least once: it must be idempotent. What it throws makes the delivery be worked on again.
 */
export function HandlesCodeEvent<Kind extends CodeEventKind>(kind: Kind) {
  return (
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<(event: CodeEvents[Kind]) => Promise<void>>,
  ): void => {
    SetMetadata(HANDLES, kind)(target, key, descriptor);
  };
}

type Handler = (event: never) => Promise<void>;

/** The handlers of all kinds of events, found by their decorator. */
@Injectable()
export class CodeEventHandlers implements OnApplicationBootstrap {
  private readonly handlers = new Map<string, Handler[]>();

  constructor(private readonly discovery: DiscoveryService) {}

  onApplicationBootstrap(): void {
    for (const { metadata, method } of decoratedMethods<CodeEventKind, Handler>(this.discovery, HANDLES))
      this.handlers.set(metadata, [...(this.handlers.get(metadata) ?? []), method]);
  }

  async dispatch<Kind extends CodeEventKind>(kind: Kind, event: CodeEvents[Kind]): Promise<void> {
    for (const handler of this.handlers.get(kind) ?? []) await handler(event as never);
  }
}
