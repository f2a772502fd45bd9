import { Injectable } from '@nestjs/common';
import type { InstallationEntity } from '../entities/installation.entity.js';
import type { PullRequestEntity } from '../entities/pull-request.entity.js';
import type { RepositoryEntity } from '../entities/repository.entity.js';
import type { HostPlace, HostPullRequest, HostRepository } from '../hosts/code-host.js';
import { CodeHosts } from '../hosts/code-hosts.js';
import { PullRequestsStore } from './pull-requests.store.js';
import { RepositoriesStore } from './repositories.store.js';

const WORKFLOW_FILES = { github: '.github/workflows/infrastate.yml', gitlab: '.gitlab-ci.yml' } as const;
const CONFIGURATION_FILES = ['.infrastate/config.yml', '.infrastate/config.yaml'] as const;

export interface SyncedPullRequest {
  pullRequest: PullRequestEntity;
  /** what the provider has just said; undefined where the row knows something newer */
  told: HostPullRequest | undefined;
}

/** Brings the records up to what the provider says: webhooks only say that something happened. */
@Injectable()
export class RepositorySync {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly repositories: RepositoriesStore,
    private readonly pullRequests: PullRequestsStore,
  ) {}

  /** The row of a repository that a webhook names; the provider is asked where the webhook differs from the row. */
  async findOrRecord(
    installation: InstallationEntity,
    told: HostRepository,
    signal: AbortSignal,
  ): Promise<RepositoryEntity | undefined> {
    const known = await this.repositories.find(installation.id, told.providerId);
    if (known && isAsTold(known, told)) return known;
    return this.sync(installation, told.providerId, signal);
  }

  /** Undefined, and without a row, when the provider does not have the repository or the installation has it no more. */
  async sync(
    installation: InstallationEntity,
    providerId: string,
    signal: AbortSignal,
  ): Promise<RepositoryEntity | undefined> {
    const host = this.hosts.of(installation.provider);
    const found = await host.findOwnRepository(installation, providerId, signal);
    if (!found) {
      const gone = await this.repositories.find(installation.id, providerId);
      if (gone) await this.repositories.remove(gone);
      return undefined;
    }
    await this.repositories.adopt(installation, providerId);
    await this.repositories.record(installation.id, [found]);
    return (await this.repositories.find(installation.id, providerId)) ?? undefined;
  }

  async syncPullRequest(
    installation: InstallationEntity,
    repository: RepositoryEntity,
    number: number,
    signal: AbortSignal,
  ): Promise<SyncedPullRequest | undefined> {
    const place = { installation, repository };
    const told = await this.hosts.of(installation.provider).findPullRequest(place, number, {}, signal);
    if (!told) return undefined;
    const pullRequest = await this.pullRequests.record(repository, told);
    const isNewest = pullRequest.updatedAt.getTime() === told.updatedAt.getTime();
    return { pullRequest, told: isNewest ? told : undefined };
  }

  /** Looks for the workflow or pipeline file and the configuration on the default branch. */
  async syncSetup(
    installation: InstallationEntity,
    repository: RepositoryEntity,
    signal?: AbortSignal,
  ): Promise<{ hasWorkflow: boolean; hasConfiguration: boolean }> {
    const place = { installation, repository };
    const ref = repository.defaultBranch;
    const setup =
      ref === null
        ? { hasWorkflow: false, hasConfiguration: false }
        : {
            hasWorkflow: await this.hasFile(place, WORKFLOW_FILES[installation.provider], ref, signal),
            hasConfiguration: await this.hasConfiguration(place, ref, signal),
          };
    await this.repositories.setSetup(repository.id, setup);
    return setup;
  }

  private async hasConfiguration(
    place: HostPlace,
    ref: string,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    for (const path of CONFIGURATION_FILES) if (await this.hasFile(place, path, ref, signal)) return true;
    return false;
  }

  private async hasFile(
    place: HostPlace,
    path: string,
    ref: string,
    signal: AbortSignal | undefined,
  ): Promise<boolean> {
    const host = this.hosts.of(place.installation.provider);
    return (await host.readFile(place, { path, ref }, signal)) !== undefined;
  }
}

function isAsTold(known: RepositoryEntity, told: HostRepository): boolean {
  return (
    known.owner === told.owner &&
    known.name === told.name &&
    known.defaultBranch === told.defaultBranch &&
    known.isArchived === told.isArchived
  );
}
