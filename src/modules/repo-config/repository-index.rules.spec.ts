import { changedDirspaces, dirspacesOf } from './directories.rules.js';
import { parseRepoConfig } from './config.parser.js';
import { ChangedFiles } from './patterns.rules.js';
import { parseRepositoryIndex, rootsOf, throughLinks, usedDirectories } from './repository-index.rules.js';

const INDEX = {
  calls: {
    'live/a': ['modules/net'],
    'live/b': [],
    'modules/net': ['modules/base'],
    'modules/base': [],
    'modules/ring': ['modules/ring'],
  },
  links: { 'live/b/common.tf': 'shared/common.tf', 'envs/prod': 'live/a' },
};
const DIRECTORIES = Object.keys(INDEX.calls);
const config = (text: string) => parseRepoConfig(text, 'config.yml');

describe('An index of a repository', () => {
  it('makes directories that others call modules, unless they are named', () => {
    expect(rootsOf(DIRECTORIES, INDEX, config(''))).toEqual(['live/a', 'live/b', 'modules/ring']);
    expect(rootsOf(DIRECTORIES, INDEX, config('dirs: {modules/net: {}}'))).toContain('modules/net');
    expect(rootsOf(DIRECTORIES, INDEX, config('dirs: {"modules/*": {}}'))).not.toContain('modules/net');
  });

  it('plans what uses a module that changed, modules of modules included', () => {
    const settings = config('');
    const all = dirspacesOf(rootsOf(DIRECTORIES, INDEX, settings), settings);
    const touched = (path: string) =>
      changedDirspaces(all, new ChangedFiles([{ path }]), usedDirectories(INDEX)).map(({ dir }) => dir);
    expect(touched('modules/base/main.tf')).toEqual(['live/a']);
    expect(touched('modules/net/x.tfvars')).toEqual(['live/a']);
    expect(touched('modules/net/readme.md')).toEqual([]);
    expect(touched('live/b/main.tf')).toEqual(['live/b']);
  });

  it('follows links of files and directories, and does not follow circles for ever', () => {
    const names = (path: string, links: Record<string, string> = INDEX.links) =>
      throughLinks([{ path }], { calls: {}, links }).map((file) => file.path);
    expect(names('shared/common.tf')).toEqual(['shared/common.tf', 'live/b/common.tf']);
    expect(names('live/a/deep/main.tf')).toEqual(['live/a/deep/main.tf', 'envs/prod/deep/main.tf']);
    expect(names('shared/common.tf.bak')).toEqual(['shared/common.tf.bak']);
    expect(names('x/main.tf', { y: 'x', x: 'y' })).toEqual(['x/main.tf', 'y/main.tf']);
    expect(names('x/main.tf', { 'x/x': 'x' }).length).toBeLessThan(5000);
  });

  it('is refused when it is none', () => {
    for (const text of ['', '[]', '{"calls": 1}', '{"calls": {"a": [1]}, "links": {}}'])
      expect(parseRepositoryIndex(text)).toBeUndefined();
    expect(parseRepositoryIndex(JSON.stringify(INDEX))).toEqual(INDEX);
  });
});
