import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ADVISORY_LOCKS } from './advisory-locks.js';

const SOURCE = join(__dirname, '..', '..');
const TAKEN = /pg_(?:try_)?advisory_(?:xact_)?lock(?:_shared)?\(\$1\)['"`],\s*\[\s*([^\]]*?),?\s*\]/g;

describe('advisory locks', () => {
  it('have each a number of their own', () => {
    const numbers = Object.values(ADVISORY_LOCKS);
    expect(new Set(numbers).size).toBe(numbers.length);
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
      Object.keys(ADVISORY_LOCKS)
        .map((name) => `ADVISORY_LOCKS.${name}`)
        .sort(),
    );
  });
});
