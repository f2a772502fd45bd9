import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { aQueryEstate, ask, type QueryEstate } from '../support/mql.js';

const text = readFileSync(join(__dirname, '..', '..', 'docs', 'sql.md'), 'utf8');
const useful = [...text.matchAll(/^([^\n]+):\n\n```sql\n([\s\S]*?)```/gm)].map(([, title = '', sql = '']) => [
  title,
  sql.trim(),
]);
const refused = [...text.matchAll(/^\| `([^`]+)` \| `([A-Z_]+_ERR)` \|$/gm)].map(([, sql = '', id = '']) => [
  sql,
  id,
]);
/** Nothing of that kind is in the estate of the test. */
const EMPTY = new Set([
  'How many instances of each type there were an hour ago',
  'States nobody has written for 90 days',
  'Tags, one row each',
  'The same object in two states',
]);

describe('docs/sql.md', () => {
  let estate: QueryEstate;
  beforeAll(async () => {
    estate = await aQueryEstate();
  });
  afterAll(() => estate.stop());

  it('has twenty queries and more', () => {
    expect(useful.length).toBeGreaterThanOrEqual(20);
    expect(refused.length).toBeGreaterThanOrEqual(6);
  });

  it.each(useful)('%s', async (title, sql) => {
    const { status, body } = await ask(estate.backend.url, estate.one.key, sql);
    expect([status, Array.isArray(body)]).toEqual([200, true]);
    expect([title, (body as unknown[]).length > 0]).toEqual([title, !EMPTY.has(title)]);
  });

  it.each(refused)('says truly that %s is %s', async (sql, id) => {
    const { status, body } = await ask(estate.backend.url, estate.one.key, sql);
    expect([status, body.id]).toEqual([400, id]);
  });
});
