import type { KvRecordView } from '../../platform/client';
import { pageOf } from './key-pages';

const record = (key: string): KvRecordView => ({
  key,
  idx: 0,
  version: 0,
  committed: true,
  created_at: '2026-01-01T00:00:00Z',
  size: 1,
});

it('goes on after the last record while all of them begin with the prefix', () => {
  expect(pageOf({ records: [record('a/1'), record('a/2')], has_more: true }, 'a/').last).toMatchObject({
    key: 'a/2',
    idx: 0,
  });
});

it('ends where the prefix ends, and where the records end', () => {
  const page = pageOf({ records: [record('a/1'), record('b')], has_more: true }, 'a/');
  expect(page.records.map(({ key }) => key)).toEqual(['a/1']);
  expect(page.last).toBeUndefined();
  expect(pageOf({ records: [record('a/1')], has_more: false }, 'a/').last).toBeUndefined();
  expect(pageOf({ records: [], has_more: false }, '').last).toBeUndefined();
});
