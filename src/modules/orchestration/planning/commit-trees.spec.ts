import type { CodeHosts, HostPlace, HostTree } from '../../vcs/index.js';
import { CommitTrees } from './commit-trees.js';

const SHA = 'a'.repeat(40);

function placeOf(installation: string, repository: string): HostPlace {
  return {
    installation: { id: installation, provider: 'github' },
    repository: { providerId: repository },
  } as HostPlace;
}

describe('Trees of commits', () => {
  let asked: string[];
  /** first letter of the commit whose tree the host was given, for each request */
  let known: (string | undefined)[];

  function treesOf(answer: (sha: string) => HostTree | undefined): CommitTrees {
    asked = [];
    known = [];
    const host = {
      readTree: async ({ repository }: HostPlace, sha: string, near?: { sha: string }) => {
        asked.push(`${repository.providerId} ${sha}`);
        known.push(near?.sha[0]);
        return answer(sha);
      },
    };
    return new CommitTrees({ of: () => host } as unknown as CodeHosts);
  }

  const tree = (count: number): HostTree => ({
    entries: Array.from({ length: count }, (_, n) => ({
      path: `${n}.tf`,
      type: 'blob',
      mode: '100644',
      id: String(n),
    })),
    isTruncated: false,
  });

  it('are asked for once, for each repository and installation of its own', async () => {
    const trees = treesOf(() => tree(2));
    for (let times = 0; times < 2; times += 1)
      for (const place of [placeOf('i', 'one'), placeOf('i', 'two'), placeOf('other', 'one')])
        expect(await trees.read(place, SHA)).toEqual(tree(2));
    expect(asked).toEqual([`one ${SHA}`, `two ${SHA}`, `one ${SHA}`]);
  });

  it('are asked for again while they are cut short or missing, and for names that move', async () => {
    const answers: Record<string, HostTree | undefined> = {
      [SHA]: { ...tree(1), isTruncated: true },
      main: tree(1),
    };
    const trees = treesOf((sha) => answers[sha]);
    for (const name of [SHA, 'main', 'b'.repeat(40)])
      for (let times = 0; times < 2; times += 1) await trees.read(placeOf('i', 'r'), name);
    expect(asked).toHaveLength(6);
  });

  it('are read with the one before of the same repository, one after the other', async () => {
    const trees = treesOf((sha) => (sha.startsWith('c') ? undefined : tree(2)));
    const read = (repository: string, letter: string) =>
      trees.read(placeOf('i', repository), letter.repeat(40));
    await Promise.all([read('one', 'a'), read('one', 'b'), read('one', 'b'), read('two', 'e')]);
    expect(asked.map((each) => each.slice(0, 5)).toSorted()).toEqual(['one a', 'one b', 'two e']);
    expect(known.toSorted()).toEqual(['a', undefined, undefined]);
    // What is not there is nothing to begin with, and neither is a branch.
    await read('one', 'c');
    await trees.read(placeOf('i', 'one'), 'main');
    await read('one', 'd');
    expect(known.slice(3)).toEqual(['b', undefined, 'b']);
  });

  it('are read although the read before them has failed', async () => {
    let isDown = true;
    const trees = treesOf(() => {
      if (isDown) throw new Error('the provider is down');
      return tree(1);
    });
    const first = trees.read(placeOf('i', 'r'), SHA);
    const second = trees.read(placeOf('i', 'r'), 'b'.repeat(40));
    await expect(first).rejects.toThrow('is down');
    await expect(second).rejects.toThrow('is down');
    isDown = false;
    expect(await trees.read(placeOf('i', 'r'), SHA)).toEqual(tree(1));
  });

  it('take a bounded part of the memory, also one that is larger than all of it', async () => {
    const trees = treesOf((sha) => tree(sha.startsWith('f') ? 150_000 : 40_000));
    const place = placeOf('i', 'r');
    for (const letter of ['a', 'b', 'c', 'a', 'f', 'f']) await trees.read(place, letter.repeat(40));
    expect(asked.map((each) => each.split(' ')[1]?.[0])).toEqual(['a', 'b', 'c', 'a', 'f', 'f']);
    await trees.read(place, 'c'.repeat(40));
    expect(asked).toHaveLength(6);
  });
});
