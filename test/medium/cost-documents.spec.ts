import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { GoogleStore } from '../../src/modules/billing/stores/google.store.js';
import { S3Store } from '../../src/modules/billing/stores/s3.store.js';
import { parseSourceAddress } from '../../src/modules/billing/stores/source-address.rules.js';
import { GoogleStorage } from '../support/google-storage.js';

const documentOf = (name: string): string => readFileSync(join(__dirname, '../..', name), 'utf8');
const NEVER = new AbortController().signal;

interface Statement {
  Effect: string;
  Action: string;
  Resource: string;
  Condition?: { StringLike: { 's3:prefix': string } };
}

/** `*` of a policy stands for any text. */
const isLike = (value: string, pattern: string): boolean =>
  new RegExp(
    `^${pattern.replace(/[.*+?^${}()|[\]\\]/g, (sign) => (sign === '*' ? '.*' : `\\${sign}`))}$`,
  ).test(value);

describe('The documents of costs and billing', () => {
  it.each([
    ['docs/costs.md', 6],
    ['docs/billing.md', 8],
  ])('%s lists settings with the defaults that they have', (name, count) => {
    const known = new Map(settingsIn(documentOf('README.md')));
    const listed = settingsIn(documentOf(name).split(/^#+ Settings$/m)[1] ?? '');
    expect(listed).toHaveLength(count);
    expect(listed).toEqual(listed.map(([key]) => [key, known.get(key)]));
  });

  it('give the S3 policy that reading needs, and no more', async () => {
    const document = documentOf('docs/billing.md');
    const { Statement: statements } = JSON.parse(/```json\n([\s\S]*?)```/.exec(document)?.[1] ?? '') as {
      Statement: Statement[];
    };
    const [, uri = ''] = /name the address `(s3:[^`]+)`/.exec(document) ?? [];
    const place = parseSourceAddress(uri);
    if (place?.store !== 's3') throw new Error(`${uri} is no address of S3`);
    const asked: { action: string; resource: string; prefix?: string }[] = [];
    const server = createServer((request, response) => {
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://s3');
      const isList = searchParams.has('list-type') && request.method === 'GET';
      asked.push({
        action: isList ? 's3:ListBucket' : request.method === 'GET' ? 's3:GetObject' : `${request.method}`,
        resource: `arn:aws:s3:::${pathname.slice(1).replace(/\/$/, '')}`,
        ...(isList ? { prefix: searchParams.get('prefix') ?? '' } : {}),
      });
      response.end(isList ? LISTING : 'a');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    try {
      const store = new S3Store({
        ...place,
        region: 'us-east-1',
        endpoint: `http://127.0.0.1:${portOf(server)}`,
        credentials: { accessKeyId: 'a', secretAccessKey: 'b' },
        silenceMs: 60_000,
      });
      const [object] = await store.list(NEVER);
      if (object === undefined) throw new Error('nothing was listed');
      expect(await text(await store.open(object, NEVER))).toBe('a');
    } finally {
      server.closeAllConnections();
      server.close();
    }
    const isAllowed = (request: (typeof asked)[number]): boolean =>
      statements.some(
        ({ Effect: effect, Action: action, Resource: resource, Condition: condition }) =>
          effect === 'Allow' &&
          action === request.action &&
          isLike(request.resource, resource) &&
          (condition === undefined || isLike(request.prefix ?? '', condition.StringLike['s3:prefix'])),
      );
    expect(asked.map((request) => [request, isAllowed(request)])).toEqual(
      asked.map((request) => [request, true]),
    );
    expect(statements.map(({ Action: action }) => action).sort()).toEqual(
      [...new Set(asked.map(({ action }) => action))].sort(),
    );
    expect(isAllowed({ action: 's3:GetObject', resource: 'arn:aws:s3:::my-billing/other/a.csv' })).toBe(
      false,
    );
    expect(isAllowed({ action: 's3:PutObject', resource: 'arn:aws:s3:::my-billing/exports/a.csv' })).toBe(
      false,
    );
  });

  it('name a role of Google that is enough: objects are only listed and read', async () => {
    const [, uri = ''] = /Name `(gs:[^`]+)`/.exec(documentOf('docs/billing.md')) ?? [];
    const place = parseSourceAddress(uri);
    if (place?.store !== 'gs') throw new Error(`${uri} is no address of Google`);
    const folder = mkdtempSync(join(tmpdir(), 'google-'));
    const google = await GoogleStorage.start();
    try {
      await google.writeKeyFile(join(folder, 'key.json'));
      google.objects.set('folder/a.csv', Buffer.from('a'));
      const keyFile = join(folder, 'key.json');
      const store = new GoogleStore({
        ...place,
        bucket: 'bills',
        endpoint: google.url,
        keyFile,
        silenceMs: 60_000,
      });
      const [object] = await store.list(NEVER);
      if (object === undefined) throw new Error('nothing was listed');
      expect(await text(await store.open(object, NEVER))).toBe('a');
      expect(
        google.requests.filter((request) => !/^GET \/storage\/v1\/b\/bills\/o|^POST \/token/.test(request)),
      ).toEqual([]);
    } finally {
      await google.stop();
      rmSync(folder, { recursive: true, force: true });
    }
  });
});

const LISTING = `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/">
  <Name>my-billing</Name><Prefix>exports/</Prefix><KeyCount>1</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated>
  <Contents><Key>exports/a.csv</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"x"</ETag><Size>1</Size></Contents>
  </ListBucketResult>`;

/** Name and default of every row of a table of settings. */
function settingsIn(document: string): [key: string, byDefault: string][] {
  return [...document.matchAll(/^\| `(SERVICE_[A-Z_0-9]+)` \| *`?([^`|]*?)`? *\|/gm)].map(
    ([, key = '', byDefault = '']) => [key, byDefault],
  );
}

function portOf(server: Server): number {
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return address.port;
}
