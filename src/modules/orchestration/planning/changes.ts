import { Injectable } from '@nestjs/common';
import {
  type ChangedFile,
  ChangedFiles,
  changedDirspaces,
  dependenciesOf,
  type Dirspace,
  type DirspaceKey,
  dirspacesOf,
  effectiveConfig,
  globMatcher,
  type GivenKeys,
  type RepoConfig,
  type RepositoryIndex,
  rootDirectories,
  rootsOf,
  throughLinks,
  usedDirectories,
} from '../../repo-config/index.js';
import {
  type CodeHost,
  CodeHosts,
  type HostPlace,
  type HostPullRequest,
  type InstallationEntity,
  type RepositoryEntity,
} from '../../vcs/index.js';
import type { ArtifactKind } from '../entities/commit-artifact.entity.js';
import { CommitTrees } from './commit-trees.js';
import { inlineCode } from './inline-text.rules.js';
import { RepoConfigs } from './repo-configs.js';

export interface RepositoryPlace extends HostPlace {
  installation: InstallationEntity;
  repository: RepositoryEntity;
}

/** A pull request as the provider and its files say at this moment. */
export interface Change {
  place: RepositoryPlace;
  pullRequest: HostPullRequest;
  config: RepoConfig;
  /** the configuration as the file of the base branch has it */
  base: RepoConfig;
  /** why nothing is planned or applied for it; undefined: everything is */
  refusal: string | undefined;
  trustedStateGroups: ReadonlySet<string>;
  /** every dirspace of the head */
  all: Dirspace[];
  /** those that the change touches */
  changed: Dirspace[];
  dependencies: ReadonlyMap<DirspaceKey, ReadonlySet<DirspaceKey>>;
  /** keys that the configuration of each branch gives */
  given: Readonly<Record<'base' | 'head', GivenKeys>>;
  /** a run has to find something out before anything can be planned */
  awaits: ArtifactKind | undefined;
}

export interface ChangeReading {
  /** waits until the provider knows whether it can be merged */
  awaitMergeable?: boolean;
  /** what the provider has just said of the pull request */
  told?: HostPullRequest;
}

/** The pull request is not there, or cannot be read as a whole. */
export class UnreadableChange extends Error {}

@Injectable()
export class Changes {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly configs: RepoConfigs,
    private readonly trees: CommitTrees,
  ) {}

  hostOf({ installation }: HostPlace): CodeHost {
    return this.hosts.of(installation.provider);
  }

  /** Throws `InvalidRepoConfig`, `DependencyCycle` and `UnreadableChange`: mistakes that people have to see. */
  async read(place: RepositoryPlace, number: number, options: ChangeReading = {}): Promise<Change> {
    const host = this.hostOf(place);
    const pullRequest = await this.pullRequest(place, number, options);
    const { sha, baseSha } = pullRequest;
    const [headTree, baseTree, files] = await Promise.all([
      this.trees.read(place, sha),
      this.trees.read(place, baseSha),
      host.listChangedFiles(place, number),
    ]);
    if (!headTree || !baseTree || headTree.isTruncated || baseTree.isTruncated)
      throw new UnreadableChange('the provider does not list all files of the repository');
    const base = await this.configs.read(place, baseSha, baseTree);
    const built = base.config.config_builder.enabled
      ? await this.configs.readBuilt(place, {
          sha,
          baseBranch: pullRequest.baseBranch,
          command: base.config.config_builder.cmd,
        })
      : await this.configs.read(place, sha, headTree);
    const head = built ?? base;
    const { config, trustedStateGroups } = effectiveConfig(base.config, head.config);
    const index = config.indexer.enabled ? await this.configs.readIndex(place, sha) : NO_INDEX;
    const paths = headTree.entries.filter(({ type }) => type === 'blob').map(({ path }) => path);
    const roots = rootsOf(rootDirectories(paths), index ?? NO_INDEX, config);
    const all = dirspacesOf(roots, config);
    return {
      awaits: built === undefined ? 'build-config' : index === undefined ? 'index' : undefined,
      place,
      pullRequest,
      config,
      base: base.config,
      refusal: await this.refusal(place, pullRequest, config),
      trustedStateGroups,
      all,
      // A list of files that the provider cut short may lack any of them.
      changed: files.isTruncated ? all : changedIn(all, files.files, index ?? NO_INDEX),
      dependencies: dependenciesOf(all, config.dirs),
      given: { base: base.given, head: head.given },
    };
  }

  /** The configuration of a branch as it stands now; undefined where the branch is not there or cannot be read whole. */
  async configOf(place: RepositoryPlace, branch: string): Promise<RepoConfig | undefined> {
    const head = await this.hostOf(place).findBranch(place, branch);
    const tree = head && (await this.trees.read(place, head.sha));
    if (!head || !tree || tree.isTruncated) return undefined;
    return (await this.configs.read(place, head.sha, tree)).config;
  }

  /** What a provider says of the base is as old as the head: rights count as the base branch stands now. */
  private async pullRequest(
    place: RepositoryPlace,
    number: number,
    { told, ...options }: ChangeReading,
  ): Promise<HostPullRequest> {
    const host = this.hostOf(place);
    const pullRequest = told ?? (await host.findPullRequest(place, number, options));
    if (!pullRequest) throw new UnreadableChange('the pull request does not exist any more');
    const base = await host.findBranch(place, pullRequest.baseBranch);
    return base ? { ...pullRequest, baseSha: base.sha } : pullRequest;
  }

  private async refusal(
    place: RepositoryPlace,
    pullRequest: HostPullRequest,
    config: RepoConfig,
  ): Promise<string | undefined> {
    const reason = refusalOf(place, pullRequest, config);
    if (reason !== undefined) return reason;
    return (await this.isNamedByDefault(place, pullRequest)) ? undefined : NOT_NAMED;
  }

  /**
   * Whoever may push can make a branch whose configuration gives them every right, and aim a pull request at it: the
   * default branch has to name it, too.
   */
  private async isNamedByDefault(place: RepositoryPlace, { baseBranch }: HostPullRequest): Promise<boolean> {
    const name = place.repository.defaultBranch;
    if (name === null) return false;
    if (name === baseBranch) return true;
    const config = await this.configOf(place, name);
    if (!config) return false;
    return (config.destination_branches ?? [name]).some((branch) => globMatcher(branch)(baseBranch));
  }
}

const NOT_NAMED = 'the base branch is not one of `destination_branches` of the default branch';

const NO_INDEX: RepositoryIndex = { calls: {}, links: {} };

function changedIn(
  all: readonly Dirspace[],
  files: readonly ChangedFile[],
  index: RepositoryIndex,
): Dirspace[] {
  return changedDirspaces(all, new ChangedFiles(throughLinks(files, index)), usedDirectories(index));
}

function refusalOf(
  { repository }: RepositoryPlace,
  { isFork, baseBranch }: HostPullRequest,
  config: RepoConfig,
): string | undefined {
  if (isFork) return 'pull requests from forks are never run';
  if (!config.enabled) return 'the configuration of the base branch switches runs off (`enabled: false`)';
  const branches =
    config.destination_branches ?? (repository.defaultBranch === null ? [] : [repository.defaultBranch]);
  if (branches.some((branch) => globMatcher(branch)(baseBranch))) return undefined;
  return `the base branch \`${inlineCode(baseBranch)}\` is not one of \`destination_branches\``;
}
