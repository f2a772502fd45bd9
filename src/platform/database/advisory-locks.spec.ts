import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADVISORY_LOCK_CLASSES, ADVISORY_LOCKS } from './advisory-locks.js';

const SOURCE = join(__dirname, '..', '..');
/** Locks of one number, and of a class with the hash of what is locked. */
const TAKEN =
  /pg_(?:try_)?advisory_(?:xact_)?lock(?:_shared)?\(\$1(?:, hashtext\(\$2\))?\)['"`],\s*\[\s*([\w.]+)/g;

describe('advisory locks', () => {
  it('have each a number of their own', () => {
    for (const space of [ADVISORY_LOCKS, ADVISORY_LOCK_CLASSES]) {
      const numbers = Object.values(space);
      expect(new Set(numbers).size).toBe(numbers.length);
    }
  });

  it('are taken by the names in this list only', () => {
    const taken = readdirSync(SOURCE, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && !file.endsWith('.spec.ts'))
      .flatMap((file) => {
        const text = readFileSync(join(SOURCE, file), 'utf8');
        const all = text.match(/pg_(try_)?advisory_(xact_)?lock/g)?.length ?? 0;
        const named = [...text.matchAll(TAKEN)].map(([, key = '']) => key);
        return [...named, ...Array<string>(all - named.length).fill(`another way in ${file}`)];
      });
    expect([...new Set(taken)].sort()).toEqual(
      [
        ...Object.keys(ADVISORY_LOCKS).map((name) => `ADVISORY_LOCKS.${name}`),
        ...Object.keys(ADVISORY_LOCK_CLASSES).map((name) => `ADVISORY_LOCK_CLASSES.${name}`),
      ].sort(),
    );
  });
});
