import { Injectable } from '@nestjs/common';
import {
  type Dirspace,
  dirspacesOf,
  effectiveConfig,
  type RepoConfig,
  type RepositoryIndex,
  rootDirectories,
  rootsOf,
} from '../../repo-config/index.js';
import { CodeHosts, type HostTree } from '../../vcs/index.js';
import type { ArtifactKind } from '../entities/commit-artifact.entity.js';
import type { RepositoryPlace } from './changes.js';
import { CommitTrees } from './commit-trees.js';
import { RepoConfigs } from './repo-configs.js';

/** A default branch with the configuration of its file. */
export interface BranchHead {
  name: string;
  sha: string;
  config: RepoConfig;
  tree: HostTree;
}

export interface DefaultBranch extends Omit<BranchHead, 'tree'> {
  /** the commit to look at: the head, or an older one whose configuration was built, or index made, meanwhile */
  look: { sha: string; olderSince: Date | undefined };
  dirspaces: Dirspace[];
  stateGroups: ReadonlySet<string>;
  /** a run has to find something out before anything can be looked at; `dirspaces` is empty until then */
  awaits: ArtifactKind | undefined;
}

/** The default branch cannot be read as a whole. Nothing is known of its configuration then. */
export class UnreadableBranch extends Error {}

/** The default branch of a repository as it stands at the provider. */
@Injectable()
export class DefaultBranches {
  constructor(
    private readonly hosts: CodeHosts,
    private readonly configs: RepoConfigs,
    private readonly trees: CommitTrees,
  ) {}

  /** Undefined for an empty repository. Throws `InvalidRepoConfig` and `UnreadableBranch`. */
  async readHead(place: RepositoryPlace): Promise<BranchHead | undefined> {
    const name = place.repository.defaultBranch;
    if (name === null) return undefined;
    const head = await this.hosts.of(place.installation.provider).findBranch(place, name);
    if (!head) throw new UnreadableBranch('the default branch was not found at the code host');
    const tree = await this.trees.read(place, head.sha);
    if (!tree || tree.isTruncated)
      throw new UnreadableBranch('the code host does not list all files of the default branch');
    const { config } = await this.configs.read(place, head.sha, tree);
    return { name, sha: head.sha, config, tree };
  }

  /**
   * The same with its dirspaces; where a command builds the configuration, that one counts as for pull requests. Where it
   * was not built for the head, an older commit counts for which that was begun after `builtSince`, with its own tree;
   * what gives rights counts as the head has it.
   */
  async read(place: RepositoryPlace, builtSince?: Date): Promise<DefaultBranch | undefined> {
    const head = await this.readHead(place);
    if (!head) return undefined;
    const { name, sha } = head;
    const isBuilt = head.config.config_builder.enabled;
    const { built, tree, look } = isBuilt
      ? await this.readBuilt(place, head, builtSince)
      : { ...ofHead(head), built: head.config };
    const { config } = effectiveConfig(head.config, built ?? head.config);
    const indexed = config.indexer.enabled
      ? await this.configs.readIndexOfBranch(place, { branch: name, sha: look.sha }, builtSince)
      : NOT_INDEXED;
    // The command is that of the branch itself, so that the branch names what it prints.
    const stateGroups = new Set(
      [head.config, built ?? head.config].flatMap((each) => [
        ...effectiveConfig(each, each).trustedStateGroups,
      ]),
    );
    const olderSince = look.olderSince ?? indexed?.olderSince;
    const common = { name, sha, look: { ...look, olderSince }, config, stateGroups };
    if (!built) return { ...common, dirspaces: [], awaits: 'build-config' };
    if (!indexed) return { ...common, dirspaces: [], awaits: 'index' };
    const paths = tree.entries.filter(({ type }) => type === 'blob').map(({ path }) => path);
    const roots = rootDirectories(paths);
    const dirspaces = dirspacesOf(
      config.indexer.enabled ? rootsOf(roots, indexed.index, config) : roots,
      config,
    );
    return { ...common, dirspaces, awaits: undefined };
  }

  private async readBuilt(
    place: RepositoryPlace,
    head: BranchHead,
    since: Date | undefined,
  ): Promise<Looked & { built: RepoConfig | undefined }> {
    const command = head.config.config_builder.cmd;
    const own = await this.configs.readBuilt(place, { sha: head.sha, baseBranch: head.name, command });
    if (own || !since) return { ...ofHead(head), built: own?.config };
    const older = await this.configs.findBuilt(place, head.name, since);
    const [built, tree] = older
      ? await Promise.all([
          // Its own command was that of its time.
          this.configs.readBuilt(place, { sha: older.sha, baseBranch: head.name, command: undefined }),
          this.trees.read(place, older.sha),
        ])
      : [];
    if (!older || !built || !tree || tree.isTruncated) return { ...ofHead(head), built: undefined };
    return { look: { sha: older.sha, olderSince: older.createdAt }, tree, built: built.config };
  }
}

type Looked = Pick<DefaultBranch, 'look'> & Pick<BranchHead, 'tree'>;

function ofHead({ sha, tree }: BranchHead): Looked {
  return { look: { sha, olderSince: undefined }, tree };
}

const NOT_INDEXED: { index: RepositoryIndex; olderSince: Date | undefined } = {
  index: { calls: {}, links: {} },
  olderSince: undefined,
};
