import { Injectable } from '@nestjs/common';
import {
  type Dirspace,
  dirspacesOf,
  effectiveConfig,
  type RepoConfig,
  rootDirectories,
  rootsOf,
} from '../../repo-config/index.js';
import { CodeHosts } from '../../vcs/index.js';
import type { RepositoryPlace } from './changes.js';
import { CommitTrees } from './commit-trees.js';
import { RepoConfigs } from './repo-configs.js';

export interface DefaultBranch {
  name: string;
  sha: string;
  config: RepoConfig;
  dirspaces: Dirspace[];
  stateGroups: ReadonlySet<string>;
}

/** The default branch of a repository as it stands at the provider. */
@Injectable()
export class DefaultBranches {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly configs: RepoConfigs,
    private readonly trees: CommitTrees,
  ) {}

  /** Undefined for an empty repository. Throws `InvalidRepoConfig`. */
  async read(place: RepositoryPlace): Promise<DefaultBranch | undefined> {
    const name = place.repository.defaultBranch;
    const host = this.hosts.of(place.installation.provider);
    const head = name === null ? undefined : await host.findBranch(place, name);
    const tree = head && (await this.trees.read(place, head.sha));
    if (name === null || !head || !tree || tree.isTruncated) return undefined;
    const { config } = await this.configs.read(place, head.sha, tree);
    const paths = tree.entries.filter(({ type }) => type === 'blob').map(({ path }) => path);
    const roots = rootDirectories(paths);
    const index = config.indexer.enabled ? await this.configs.readNearIndex(place, head.sha) : undefined;
    return {
      name,
      sha: head.sha,
      config,
      dirspaces: dirspacesOf(index ? rootsOf(roots, index, config) : roots, config),
      stateGroups: effectiveConfig(config, config).trustedStateGroups,
    };
  }
}
