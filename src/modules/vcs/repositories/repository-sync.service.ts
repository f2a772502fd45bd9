import { Injectable } from '@nestjs/common';
import {
  DEFAULT_CONFIG,
  InvalidRepoConfig,
  parseRepoConfig,
  type RepoConfig,
} from '../../repo-config/index.js';
import type { InstallationEntity } from '../entities/installation.entity.js';
import type { PullRequestEntity } from '../entities/pull-request.entity.js';
import type { RepositoryEntity } from '../entities/repository.entity.js';
import type { HostPlace, HostPullRequest, HostRepository } from '../hosts/code-host.js';
import { CodeHosts } from '../hosts/code-hosts.js';
import { PullRequestsStore } from './pull-requests.store.js';
import { RepositoriesStore } from './repositories.store.js';

const CONFIGURATION_FILES = ['.infrastate/config.yml', '.infrastate/config.yaml'] as const;

const DEFAULT_PIPELINE_FILE = '.gitlab-ci.yml';

interface ConfigurationText {
  text: string;
  file: string;
}

/** What a repository has on its default branch of what it needs. */
export interface RepositorySetup {
  hasWorkflow: boolean;
  hasConfiguration: boolean;
  /** workflow or pipeline file that was looked for; undefined: none is needed, because runs happen in a pool */
  workflowFile: string | undefined;
}

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

  /** Looks for the configuration on the default branch, and for the workflow or pipeline file that it names. */
  async syncSetup(
    installation: InstallationEntity,
    repository: RepositoryEntity,
    signal?: AbortSignal,
  ): Promise<RepositorySetup> {
    const place = { installation, repository };
    const ref = repository.defaultBranch;
    const text = ref === null ? undefined : await this.readConfiguration(place, ref, signal);
    const workflowFile = await this.workflowFileOf(place, text, signal);
    const setup = {
      hasWorkflow:
        ref !== null &&
        (workflowFile === undefined ||
          isElsewhere(installation, workflowFile) ||
          (await this.hasFile(place, workflowFile, ref, signal))),
      hasConfiguration: text !== undefined,
    };
    await this.repositories.setSetup(repository.id, setup);
    return { ...setup, workflowFile };
  }

  /** Undefined where runs happen in a pool. */
  private async workflowFileOf(
    { installation, repository }: { installation: InstallationEntity; repository: RepositoryEntity },
    configuration: ConfigurationText | undefined,
    signal: AbortSignal | undefined,
  ): Promise<string | undefined> {
    const { on, workflow } = runOf(configuration);
    if (on === 'pool') return undefined;
    if (installation.provider !== 'gitlab') return `.github/workflows/${workflow}`;
    const host = this.hosts.of(installation.provider);
    const found = await host.findRepository(installation, repository.providerId, signal);
    return found?.pipelinePath ?? DEFAULT_PIPELINE_FILE;
  }

  private async readConfiguration(
    place: HostPlace,
    ref: string,
    signal: AbortSignal | undefined,
  ): Promise<ConfigurationText | undefined> {
    const host = this.hosts.of(place.installation.provider);
    for (const file of CONFIGURATION_FILES) {
      const bytes = await host.readFile(place, { path: file, ref }, signal);
      if (bytes) return { text: bytes.toString(), file };
    }
    return undefined;
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

/** A pipeline file at a URL, or of another project (`path@group/project`), is none of this repository's files. */
function isElsewhere({ provider }: InstallationEntity, pipelinePath: string): boolean {
  return provider === 'gitlab' && /^https?:\/\/|.\.ya?ml@./.test(pipelinePath);
}

/** A configuration with mistakes is said in pull requests; here the defaults count. */
function runOf(configuration: ConfigurationText | undefined): RepoConfig['run'] {
  if (configuration === undefined) return DEFAULT_CONFIG.run;
  try {
    return parseRepoConfig(configuration.text, configuration.file).run;
  } catch (error) {
    if (error instanceof InvalidRepoConfig) return DEFAULT_CONFIG.run;
    throw error;
  }
}
