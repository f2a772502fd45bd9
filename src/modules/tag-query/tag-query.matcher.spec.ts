import { directoryMatcher } from './tag-query.matcher.js';
import { parseTagQuery } from './tag-query.parser.js';

const DIRECTORIES = [
  { dir: 'net', workspace: 'default', tags: new Set(['core']) },
  { dir: 'app', workspace: 'default', tags: new Set(['core', 'web']) },
  { dir: 'app', workspace: 'staging', environment: 'test', tags: new Set<string>() },
];

describe('A tag query over directories', () => {
  it.each([
    ['', ['net default', 'app default', 'app staging']],
    ['core', ['net default', 'app default']],
    ['core not web', ['net default']],
    ['dir:app', ['app default', 'app staging']],
    ['dir:app workspace:staging or dir:net', ['net default', 'app staging']],
    ['environment:', ['net default', 'app default']],
    ['not environment:test', ['net default', 'app default']],
    ['nothing', []],
  ])('%j selects %j', (text, expected) => {
    const matches = directoryMatcher(parseTagQuery(text));
    expect(DIRECTORIES.filter(matches).map(({ dir, workspace }) => `${dir} ${workspace}`)).toEqual(expected);
  });

  it('refuses a key that directories do not have, before any directory is looked at', () => {
    expect(() => directoryMatcher(parseTagQuery('not (dir:a or user:ada)'))).toThrow(
      expect.objectContaining({ id: 'UNKNOWN_TAG' }),
    );
  });
});
