import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { revisionHash } from '../configuration/canonical-json.js';
import { RevisionCache } from './revision-cache.js';

describe('remembered revisions', () => {
  let home: string;
  let cache: RevisionCache;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'cache-'));
    cache = new RevisionCache({ XDG_CACHE_HOME: home }, 'state');
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const nodes = (value: string) => [
    { key: 'a', hash: value },
    { key: '__proto__', hash: '2' },
  ];

  it('come back as they were, and never under a hash that is not theirs', () => {
    const hash = revisionHash(nodes('1'));
    cache.write(hash, nodes('1'));
    expect([...(cache.read(hash) ?? [])].sort()).toEqual([
      ['__proto__', '2'],
      ['a', '1'],
    ]);
    expect(cache.read(revisionHash(nodes('2')))).toBeUndefined();
    writeFileSync(join(home, 'infrastate', 'revision-lists', 'state', `${hash}.json`), '{"a": "changed"}');
    expect(cache.read(hash)).toBeUndefined();
  });

  it('are few, and none where nothing can be written', () => {
    for (const value of ['1', '2', '3', '4', '5', '6']) cache.write(revisionHash(nodes(value)), nodes(value));
    expect(readdirSync(join(home, 'infrastate', 'revision-lists', 'state'))).toHaveLength(4);
    const nowhere = new RevisionCache({ XDG_CACHE_HOME: '/dev/null' }, 'state');
    nowhere.write('0', []);
    expect(nowhere.read('0')).toBeUndefined();
  });
});
