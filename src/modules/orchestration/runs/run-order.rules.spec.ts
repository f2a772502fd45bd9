import { DEFAULT_CONFIG, type Dirspace, dirspacesOf, parseRepoConfig } from '../../repo-config/index.js';
import { runOrder } from './run-order.rules.js';

describe('The order of the dirspaces of a run', () => {
  const dirspaces = (text: string, directories: string[]): Dirspace[] =>
    dirspacesOf(directories, text === '' ? DEFAULT_CONFIG : parseRepoConfig(text, 'config.yml'));

  it('names what each depends on by position, and shares lists that say the same', () => {
    const config = `dirs:
  network: {tags: [base]}
  dns: {tags: [base]}
  'app/*': {depends_on: [base]}
  top: {depends_on: [app/one]}
`;
    const order = runOrder(dirspaces(config, ['app/one', 'app/two', 'dns', 'network', 'top']));
    expect(order).toEqual({
      lists: [[2, 3], [0]],
      listOf: [0, 0, undefined, undefined, 1],
    });
  });

  it('leaves out what is no part of the run', () => {
    const config = 'dirs: {a: {depends_on: [b, c]}}\n';
    expect(runOrder(dirspaces(config, ['a', 'c']))).toEqual({ lists: [[1]], listOf: [0, undefined] });
    expect(runOrder(dirspaces('', ['a', 'c']))).toEqual({ lists: [], listOf: [undefined, undefined] });
  });

  it('counts what depends on it through dirspaces that are no part of the run', () => {
    const config = `dirs:
  a: {depends_on: [b, x]}
  b: {depends_on: [c, d]}
  c: {depends_on: [d]}
  d: {depends_on: [e]}
  x: {depends_on: [y]}
`;
    const all = dirspaces(config, ['a', 'b', 'c', 'd', 'e', 'x', 'y']);
    const run = (...names: string[]) =>
      runOrder(
        all.filter(({ dir }) => names.includes(dir)),
        all,
      );
    expect(run('a', 'c')).toEqual({ lists: [[1]], listOf: [0, undefined] });
    expect(run('a', 'd', 'e')).toEqual({ lists: [[1], [2]], listOf: [0, 1, undefined] });
    expect(run('a', 'c', 'e')).toEqual({ lists: [[1, 2], [2]], listOf: [0, 1, undefined] });
    // A way through a directory of the run ends there: that one waits for the rest.
    expect(run('b', 'd', 'e')).toEqual({ lists: [[1], [2]], listOf: [0, 1, undefined] });
    expect(run('a', 'y')).toEqual({ lists: [[1]], listOf: [0, undefined] });
    expect(run('x', 'e')).toEqual({ lists: [], listOf: [undefined, undefined] });
  });

  it('follows chains of thousands, and bounds what it makes of them', () => {
    const names = Array.from({ length: 5_000 }, (_, n) => `d${n}`);
    const chain = names.slice(1).map((name, n) => `  ${name}: {depends_on: [d${n}]}`);
    const all = dirspaces(`dirs:\n${chain.join('\n')}\n`, names);
    const at = (dir: string) => all.filter((one) => one.dir === dir);
    const ends = [...at('d0'), ...at('d4999')];
    expect(runOrder(ends, all)).toEqual({ lists: [[0]], listOf: [undefined, 0] });
    const next = [...at('d0'), ...at('d1'), ...at('d4999')];
    expect(runOrder(next, all, 0)).toEqual({ lists: [[0]], listOf: [undefined, 0, undefined] });
  });

  it('orders nothing in a cycle', () => {
    const config = 'dirs: {a: {depends_on: [b]}, b: {depends_on: [a]}}\n';
    expect(runOrder(dirspaces(config, ['a', 'b']))).toEqual({ lists: [], listOf: [undefined, undefined] });
  });
});
