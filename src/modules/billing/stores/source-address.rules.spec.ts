import fc from 'fast-check';
import { chooseObjects } from './chosen-objects.rules.js';
import { objectPattern } from './object-pattern.rules.js';
import { parseSourceAddress } from './source-address.rules.js';

describe('The address of a billing source', () => {
  it.each([
    ['s3://my-bucket/a/b.csv', { store: 's3', bucket: 'my-bucket', path: 'a/b.csv' }],
    [
      's3://my.bucket/exports/BILLING_PERIOD=2026-01/*.parquet',
      { store: 's3', bucket: 'my.bucket', path: 'exports/BILLING_PERIOD=2026-01/*.parquet' },
    ],
    ['gs://bucket/**', { store: 'gs', bucket: 'bucket', path: '**' }],
    ['gs://bucket/folder/', { store: 'gs', bucket: 'bucket', path: 'folder/' }],
    [
      'abfss://costs@account1.dfs.core.windows.net/exports/**/part_*',
      { store: 'abfss', container: 'costs', account: 'account1', path: 'exports/**/part_*' },
    ],
    ['file:///srv/bills/a.csv', { store: 'file', path: '/srv/bills/a.csv' }],
  ])('takes %s', (uri, address) => {
    expect(parseSourceAddress(uri)).toEqual(address);
  });

  it.each([
    ...[
      '',
      'bill.csv',
      '/etc/passwd',
      'http://bucket/a',
      'https://bucket/a',
      'ftp://bucket/a',
      's3:/bucket/a',
      'S3://bucket/a',
    ],
    ...[
      's3://bucket',
      's3://bucket/',
      's3:///a',
      's3://bucket:9000/a',
      's3://user@bucket/a',
      's3://user:pass@bucket/a',
    ],
    ...[
      's3://bucket/a?x=1',
      's3://bucket/a#b',
      's3://bucket/%2e%2e/a',
      's3://bucket/../a',
      's3://bucket/a/../b',
      's3://bucket/./a',
    ],
    ...[
      's3://bucket//a',
      's3://bucket/a b',
      's3://bucket/a\n',
      's3://bucket/a\\b',
      's3://bucket/a\u0000b',
      's3://bucket/a\u202eb',
    ],
    ...[
      's3://Bucket/a',
      's3://b/a',
      's3://127.0.0.1:80/a',
      's3://bucket/a**b',
      `s3://bucket/${'a'.repeat(2_000)}`,
    ],
    ...[
      'abfss://container@account/a',
      'abfss://container@evil.com/a',
      'abfss://account.dfs.core.windows.net/a',
    ],
    ...['abfss://c@x.dfs.core.windows.net.evil.com/a', 'abfss://con@tainer@account.dfs.core.windows.net/a'],
    ...[
      'file://host/srv/a.csv',
      'file://srv/a.csv',
      'file:////etc/passwd',
      'file:///srv/../etc/passwd',
      'file:///',
    ],
    `s3://bucket/${'*/'.repeat(17)}a`,
  ])('refuses %j', (uri) => {
    expect(parseSourceAddress(uri)).toBeUndefined();
  });

  it('never keeps what could lead anywhere else, whatever the text', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: 'grapheme', maxLength: 60 }),
        fc.constantFrom('s3', 'gs', 'file'),
        (text, store) => {
          const address = parseSourceAddress(`${store}://${text}`);
          if (address === undefined) return;
          expect(address.path.split('/')).not.toContain('..');
          expect(address.path).not.toMatch(/[\s?#%\\\u0000]/);
          if ('bucket' in address) expect(address.bucket).toMatch(/^[a-z0-9._-]+$/);
        },
      ),
    );
  });
});

describe('A path with globs', () => {
  it.each([
    ['a/*.csv', 'a/', ['a/b.csv'], ['a/b/c.csv', 'a/b.csv.gz', 'b.csv']],
    ['a/**/part_*', 'a/', ['a/part_1', 'a/b/c/part_2'], ['a/b/other', 'part_1']],
    ['**', '', ['a', 'a/b/c'], []],
    ['a/', 'a/', ['a/b', 'a/b/c'], ['b/a']],
    ['a/b.csv', 'a/b.csv', ['a/b.csv'], ['a/b.csvx', 'a/b']],
    ['a*b*c', '', ['abc', 'axxbxxc', 'abbc'], ['ab', 'abcd']],
  ])('%s begins with %j', (path, prefix, matching, other) => {
    const pattern = objectPattern(path);
    expect(pattern.prefix).toBe(prefix);
    expect(matching.filter((name) => !pattern.matches(name))).toEqual([]);
    expect(other.filter((name) => pattern.matches(name))).toEqual([]);
  });

  it('agrees with a regular expression', () => {
    const parts = fc.constantFrom('a', 'b', '*', 'a*', '*b*', '**');
    const names = fc.array(fc.constantFrom('a', 'b', 'ab', 'ba'), { minLength: 1, maxLength: 4 });
    fc.assert(
      fc.property(fc.array(parts, { minLength: 1, maxLength: 4 }), names, (pattern, name) => {
        const text = pattern.map((part) => (part === '**' ? '§' : part.replaceAll('*', '[^/]*'))).join('/');
        const expression = text
          .replaceAll('/§/', '/(?:[^/]+/)*')
          .replace(/^§\//, '(?:[^/]+/)*')
          .replace(/\/§$/, '(?:/[^/]+)*')
          .replace(/^§$/, '.*')
          .replaceAll('§/', '(?:[^/]+/)*');
        if (/§/.test(expression)) return;
        expect(objectPattern(pattern.join('/')).matches(name.join('/'))).toBe(
          new RegExp(`^${expression}$`).test(name.join('/')),
        );
      }),
    );
  });
});

describe('The files of a source', () => {
  const object = (name: string, modifiedAt = 0) => ({ name, size: 1, modifiedAt });
  it('are the billing files, by name', () => {
    const names = [
      'b.CSV',
      'a.csv.gz',
      'c.parquet',
      'manifest.json',
      'x.gz',
      '_SUCCESS.csv',
      '.hidden.csv',
      'd.txt',
    ];
    expect(
      chooseObjects(names.map((name) => object(name))).map(({ object: { name }, kind }) => [name, kind]),
    ).toEqual([
      ['a.csv.gz', 'csv.gz'],
      ['b.CSV', 'csv'],
      ['c.parquet', 'parquet'],
    ]);
  });

  it('are those of the newest run of each period', () => {
    const chosen = chooseObjects([
      object('e/20260101-20260131/run-a/part_0.csv', 5),
      object('e/20260101-20260131/run-b/part_0.csv', 9),
      object('e/20260101-20260131/run-b/part_1.csv', 8),
      object('e/20260201-20260228/202602050000/run-c/part_0.csv', 1),
      object('e/20260201-20260228/plain.csv', 1),
    ]);
    expect(chosen.map(({ object: { name } }) => name)).toEqual([
      'e/20260101-20260131/run-b/part_0.csv',
      'e/20260101-20260131/run-b/part_1.csv',
      'e/20260201-20260228/202602050000/run-c/part_0.csv',
      'e/20260201-20260228/plain.csv',
    ]);
  });
});
