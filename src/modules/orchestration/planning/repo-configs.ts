import { Injectable } from '@nestjs/common';
import { LRUCache } from 'lru-cache';
import { posix } from 'node:path';
import {
  DEFAULT_CONFIG,
  type GivenKeys,
  InvalidRepoConfig,
  parseGivenConfig,
  parseRepositoryIndex,
  type RepoConfig,
  type RepositoryIndex,
} from '../../repo-config/index.js';
import {
  CodeHosts,
  type HostPlace,
  type HostTree,
  type TreeEntry,
  type RepositoryEntity,
  vcsErrors,
} from '../../vcs/index.js';
import { type BuiltFor, CommitArtifacts } from '../runs/commit-artifacts.store.js';

const FILES = ['.infrastate/config.yml', '.infrastate/config.yaml'];
/** Where mistakes of a built configuration are said to stand. */
export const BUILT_FILE = 'output of config_builder';
const MAX_CACHED = 500;
/** Mode of a symbolic link. Its id stands for where it leads, not for what stands there. */
const LINK = '120000';

type RepositoryPlace = HostPlace & { repository: RepositoryEntity };

/** The configuration of a branch; `file` is undefined where the defaults count. */
export interface BranchConfig {
  file: string | undefined;
  config: RepoConfig;
  /** keys that the file gives */
  given: GivenKeys;
}

type ParsedConfig = Omit<BranchConfig, 'file'>;

/** Reads configurations of repositories. What was parsed is kept by the blob id of its file. */
@Injectable()
export class RepoConfigs {
  private readonly parsed = new LRUCache<string, ParsedConfig>({ max: MAX_CACHED });

  constructor(
    private readonly hosts: CodeHosts,
    private readonly artifacts: CommitArtifacts,
  ) {}

  /** Throws `InvalidRepoConfig`. */
  async read(place: HostPlace, ref: string, tree: HostTree): Promise<BranchConfig> {
    const entry = FILES.flatMap((file) =>
      tree.entries.filter(({ path, type }) => path === file && type === 'blob'),
    )[0];
    if (!entry) return { file: undefined, config: DEFAULT_CONFIG, given: new Set() };
    const known = entry.mode === LINK ? undefined : this.parsed.get(entry.id);
    if (known) return { file: entry.path, ...known };
    const path = await this.pathOf(place, { entry, ref, tree });
    const bytes = await this.hosts.of(place.installation.provider).readFile(place, { path, ref });
    // The tree has it: without its text nobody knows which rights it gives.
    if (!bytes) throw vcsErrors.PROVIDER_UNAVAILABLE();
    const parsed = parseGivenConfig(bytes.toString(), entry.path);
    if (entry.mode !== LINK) this.parsed.set(entry.id, parsed);
    return { file: entry.path, ...parsed };
  }

  /** GitHub answers what a symbolic link leads to; GitLab answers the link, which is followed here, once. */
  private async pathOf(
    place: HostPlace,
    { entry, ref, tree }: { entry: TreeEntry; ref: string; tree: HostTree },
  ): Promise<string> {
    if (entry.mode !== LINK || place.installation.provider !== 'gitlab') return entry.path;
    const link = await this.hosts.of('gitlab').readFile(place, { path: entry.path, ref });
    if (!link) throw vcsErrors.PROVIDER_UNAVAILABLE();
    const path = posix.join(posix.dirname(entry.path), link.toString());
    const isFile = tree.entries.some(
      (each) => each.path === path && each.type === 'blob' && each.mode !== LINK,
    );
    if (isFile) return path;
    const message = 'the symbolic link leads to no file of the repository; commit a regular file';
    throw new InvalidRepoConfig([{ file: entry.path, line: 1, key: 'file', message }]);
  }

  /** What the builder of the base branch printed for a commit; undefined: no run has done it yet. */
  async readBuilt(
    { repository }: RepositoryPlace,
    of: Omit<BuiltFor, 'repositoryId'>,
  ): Promise<BranchConfig | undefined> {
    const text = await this.artifacts.findBuilt({ repositoryId: repository.id, ...of });
    if (text === undefined) return undefined;
    return { file: BUILT_FILE, ...parseGivenConfig(text, BUILT_FILE) };
  }

  /** The newest commit of a default branch that was built by a run of its own since. */
  findBuilt(
    { repository }: RepositoryPlace,
    branch: string,
    since: Date,
  ): Promise<{ sha: string; createdAt: Date } | undefined> {
    return this.artifacts.findBuiltOfBranch({ repositoryId: repository.id, branch }, since);
  }

  /** Module calls and links of a commit; undefined: no run has looked yet. */
  async readIndex({ repository }: RepositoryPlace, sha: string): Promise<RepositoryIndex | undefined> {
    const text = await this.artifacts.findIndex(repository.id, sha);
    return text === undefined ? undefined : parseRepositoryIndex(text);
  }

  /** The same of a default branch: of the commit, else of the newest one that a run of its own looked at since. */
  async readIndexOfBranch(
    { repository }: RepositoryPlace,
    { branch, sha }: { branch: string; sha: string },
    since: Date | undefined,
  ): Promise<{ index: RepositoryIndex; olderSince: Date | undefined } | undefined> {
    const found = await this.artifacts.findIndexOfBranch({ repositoryId: repository.id, branch, sha }, since);
    const index = found && parseRepositoryIndex(found.content);
    return index && { index, olderSince: found.sha === sha ? undefined : found.createdAt };
  }
}
