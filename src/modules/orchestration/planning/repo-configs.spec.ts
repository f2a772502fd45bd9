import type { CodeHosts, HostPlace, HostTree, TreeEntry } from '../../vcs/index.js';
import type { CommitArtifacts } from '../runs/commit-artifacts.store.js';
import { InvalidRepoConfig } from '../../repo-config/index.js';
import { RepoConfigs } from './repo-configs.js';

const FILE = '.infrastate/config.yml';
const place = { installation: { id: 'i', provider: 'github' }, repository: { providerId: 'r' } } as HostPlace;

function treeOf(...entries: Partial<TreeEntry>[]): HostTree {
  const file = { path: FILE, type: 'blob', mode: '100644', id: 'one' } as const;
  return { entries: entries.map((entry) => ({ ...file, ...entry })), isTruncated: false };
}

describe('Configurations of a repository', () => {
  let asked: string[];

  /** A host that has one text at each commit. */
  function configsOf(texts: Record<string, string>): RepoConfigs {
    asked = [];
    const host = {
      readFile: async (_: HostPlace, { path, ref }: { path: string; ref: string }) => {
        asked.push(`${path} ${ref}`);
        const text = texts[ref];
        return text === undefined ? undefined : Buffer.from(text);
      },
    };
    return new RepoConfigs({ of: () => host } as unknown as CodeHosts, {} as CommitArtifacts);
  }

  it('are read once for the same file, whatever the commit', async () => {
    const configs = configsOf({ a: 'enabled: false', b: 'enabled: true' });
    for (const ref of ['a', 'b'])
      expect((await configs.read(place, ref, treeOf({}))).config.enabled).toBe(false);
    expect(asked).toEqual([`${FILE} a`]);
  });

  it('are read anew behind a link, whose id says only where it leads', async () => {
    const configs = configsOf({
      a: 'access_control: {apply: ["*"]}',
      b: 'access_control: {apply: ["user:boss"]}',
      c: 'access_control: {apply: ["user:other"]}',
    });
    const read = async (ref: string, mode: string) => {
      const { config } = await configs.read(place, ref, treeOf({ mode }));
      return config.access_control.apply;
    };
    expect(await read('a', '120000')).toEqual(['*']);
    expect(await read('b', '120000')).toEqual(['user:boss']);
    // A file with the text of the link is another matter, in both directions.
    expect(await read('c', '100644')).toEqual(['user:other']);
    expect(await read('b', '120000')).toEqual(['user:boss']);
  });

  it('are read through a link at GitLab, which answers only where it leads', async () => {
    const at = { ...place, installation: { id: 'i', provider: 'gitlab' } } as HostPlace;
    const link = { mode: '120000' };
    const target = { path: 'shared/config.yml' };
    const answers: Record<string, string> = {
      [FILE]: '../shared/config.yml',
      [target.path]: 'enabled: false',
    };
    const host = {
      readFile: async (_: HostPlace, { path }: { path: string }) => Buffer.from(answers[path] ?? ''),
    };
    const configs = new RepoConfigs({ of: () => host } as unknown as CodeHosts, {} as CommitArtifacts);
    const found = await configs.read(at, 'a', treeOf(link, target));
    expect(found).toMatchObject({ file: FILE, config: { enabled: false } });
    for (const there of [
      treeOf(link),
      treeOf(link, { ...target, ...link }),
      treeOf(link, { ...target, type: 'tree' }),
    ])
      await expect(configs.read(at, 'a', there)).rejects.toThrow(
        `${FILE}:1: file: the symbolic link leads to no file`,
      );
    for (const outside of ['/etc/passwd', '../../secret', '..', '']) {
      answers[FILE] = outside;
      await expect(configs.read(at, 'a', treeOf(link, target))).rejects.toThrow(InvalidRepoConfig);
    }
  });

  it('are not the defaults when the provider has the file and does not give it', async () => {
    const configs = configsOf({});
    await expect(configs.read(place, 'a', treeOf({}))).rejects.toMatchObject({ id: 'PROVIDER_UNAVAILABLE' });
    expect(asked).toHaveLength(1);
    // Only a tree without the file has the defaults.
    const absent = await configs.read(place, 'a', treeOf({ path: 'readme.md' }, { type: 'tree' }));
    expect(absent).toMatchObject({ file: undefined, config: { enabled: true } });
    expect(asked).toHaveLength(1);
  });

  it('are refused with their mistakes each time, and never taken from another file', async () => {
    const configs = configsOf({ a: 'enabeld: true', b: 'enabled: false' });
    for (let times = 0; times < 2; times += 1)
      await expect(configs.read(place, 'a', treeOf({}))).rejects.toThrow('did you mean enabled?');
    expect((await configs.read(place, 'b', treeOf({ id: 'two' }))).config.enabled).toBe(false);
    expect(asked).toHaveLength(3);
  });
});
