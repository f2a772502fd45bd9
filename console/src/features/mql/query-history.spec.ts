/** @jest-environment @happy-dom/jest-environment */
import fc from 'fast-check';
import { type PastQuery, remember } from './query-history';

it('puts a query at the top, once, and keeps its star', () => {
  const before = [
    { sql: 'a', isFavourite: false },
    { sql: 'b', isFavourite: true },
  ];
  expect(remember(before, 'b')).toEqual([
    { sql: 'b', isFavourite: true },
    { sql: 'a', isFavourite: false },
  ]);
});

it('never drops a favourite, and never keeps more than 50 others', () => {
  const steps = fc.array(fc.tuple(fc.nat(120), fc.boolean()), { minLength: 60, maxLength: 200 });
  fc.assert(
    fc.property(steps, (queries) => {
      let history: PastQuery[] = [];
      const starred = new Set<string>();
      for (const [number, isStarred] of queries) {
        const sql = `SELECT ${number}`;
        history = remember(history, sql);
        if (isStarred) starred.add(sql);
        history = history.map((past) => (starred.has(past.sql) ? { ...past, isFavourite: true } : past));
        expect(history[0]?.sql).toBe(sql);
      }
      const names = history.map((past) => past.sql);
      expect(new Set(names).size).toBe(names.length);
      expect([...starred].every((sql) => names.includes(sql))).toBe(true);
      expect(history.filter((past) => !past.isFavourite).length).toBeLessThanOrEqual(50);
    }),
  );
});
