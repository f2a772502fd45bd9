import { DEFAULT_CONFIG, type RepoConfig } from '../../repo-config/index.js';
import type { CodeHosts, HostPullRequest, HostTree } from '../../vcs/index.js';
import { Changes, type RepositoryPlace } from './changes.js';
import type { CommitTrees } from './commit-trees.js';
import type { RepoConfigs } from './repo-configs.js';

const place = {
  installation: { id: 'i', provider: 'github' },
  repository: { providerId: 'r', defaultBranch: 'main' },
} as RepositoryPlace;

describe('The base branch of a change', () => {
  /** The configuration of each branch; `isCut`: branches whose tree the provider does not list as a whole. */
  function refusalOf(
    baseBranch: string,
    configs: Record<string, Partial<RepoConfig>>,
    { isCut = [] }: { isCut?: string[] } = {},
  ): Promise<string | undefined> {
    const pullRequest = {
      number: 1,
      sha: 'topic',
      baseBranch,
      baseSha: '',
      isFork: false,
    } as HostPullRequest;
    const host = {
      findPullRequest: async () => pullRequest,
      findBranch: async (_: unknown, name: string) => (name in configs ? { sha: name } : undefined),
      listChangedFiles: async () => ({ files: [], isTruncated: false }),
    };
    const trees = {
      read: async (_: unknown, sha: string): Promise<HostTree> => ({
        entries: [],
        isTruncated: isCut.includes(sha),
      }),
    };
    const read = async (_: unknown, sha: string) => ({
      file: 'f',
      config: { ...DEFAULT_CONFIG, ...configs[sha] },
    });
    const changes = new Changes(
      { of: () => host } as unknown as CodeHosts,
      { read } as unknown as RepoConfigs,
      trees as unknown as CommitTrees,
    );
    return changes.read(place, 1).then(({ refusal }) => refusal);
  }

  const everything = { destination_branches: ['**'] };
  const NOT_NAMED = 'the base branch is not one of `destination_branches` of the default branch';

  it('is the default branch, or one that the default branch names, too', async () => {
    expect(await refusalOf('main', { main: {} })).toBeUndefined();
    const names = { destination_branches: ['main', 'release/*'] };
    expect(await refusalOf('release/1', { main: names, 'release/1': names })).toBeUndefined();
  });

  it('gives itself no right: whoever may push can make a branch and aim at it', async () => {
    expect(await refusalOf('mine', { main: {}, mine: everything })).toBe(NOT_NAMED);
    const names = { destination_branches: ['release/*'] };
    expect(await refusalOf('mine', { main: names, mine: everything })).toBe(NOT_NAMED);
    // The default branch does not name it for it.
    expect(await refusalOf('mine', { main: everything, mine: {} })).toBe(
      'the base branch `mine` is not one of `destination_branches`',
    );
  });

  it('is named as code that it cannot leave', async () => {
    const hostile = 'x`\n@team';
    expect(await refusalOf(hostile, { main: everything, [hostile]: {} })).toBe(
      "the base branch `x' @team` is not one of `destination_branches`",
    );
  });

  it('is refused when the default branch cannot be read', async () => {
    expect(await refusalOf('mine', { mine: everything })).toBe(NOT_NAMED);
    expect(await refusalOf('mine', { main: everything, mine: everything }, { isCut: ['main'] })).toBe(
      NOT_NAMED,
    );
    expect(await refusalOf('mine', { main: everything, mine: everything })).toBeUndefined();
  });
});
