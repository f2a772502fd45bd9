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

  it('orders nothing in a cycle', () => {
    const config = 'dirs: {a: {depends_on: [b]}, b: {depends_on: [a]}}\n';
    expect(runOrder(dirspaces(config, ['a', 'b']))).toEqual({ lists: [], listOf: [undefined, undefined] });
  });
});
