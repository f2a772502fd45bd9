import fc from 'fast-check';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { endOfPrefix } from '../../src/modules/kv/key-range.rules.js';
import { authorityIn } from '../../src/modules/kv/kv-access.rules.js';
import type { KvNamespace } from '../../src/modules/kv/kv-namespaces.js';
import { KvRecordsStore } from '../../src/modules/kv/kv-records.store.js';
import type { NamedTokenCapability } from '../../src/modules/tokens/index.js';
import { connectedSource, freshDatabase } from '../support/database.js';

interface ModelRow {
  key: string;
  idx: number;
  data: string;
  version: number;
  committed: boolean;
  read: NamedTokenCapability[] | undefined;
  write: NamedTokenCapability[] | undefined;
}

/** What the store should hold and answer, written as plainly as possible. */
class Model {
  rows: ModelRow[] = [];

  readable(held: ReadonlySet<string>): ModelRow[] {
    return this.rows
      .filter((row) => (row.read ?? []).every((name) => held.has(name)))
      .sort((a, b) => Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)) || a.idx - b.idx);
  }

  at(key: string, idx: number): ModelRow | undefined {
    return this.rows.find((row) => row.key === key && row.idx === idx);
  }
}

const LISTS: (NamedTokenCapability[] | undefined)[] = [
  undefined,
  undefined,
  undefined,
  ['kv_store_system_read'],
  ['access_token_create'],
];
const key = fc.constantFrom('a', 'a/', 'a0', 'b', 'é', '\ud7ff', '\ue000', '\u{10000}', 'a\u{10ffff}');
const step = fc.record({
  kind: fc.constantFrom('put', 'put', 'insert', 'replace', 'find', 'remove', 'measure', 'iterate', 'commit'),
  caller: fc.nat(2),
  key,
  other: key,
  idx: fc.nat(2),
  anyIdx: fc.boolean(),
  version: fc.nat(2),
  anyVersion: fc.boolean(),
  data: fc.string({ unit: 'grapheme', maxLength: 5 }),
  committed: fc.boolean(),
  read: fc.nat(LISTS.length - 1),
  write: fc.nat(LISTS.length - 1),
  prefix: fc.boolean(),
  after: fc.boolean(),
  limit: fc.integer({ min: 1, max: 6 }),
});
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never;

const CALLERS: NamedTokenCapability[][] = [
  ['kv_store_read', 'kv_store_write'],
  ['kv_store_read', 'kv_store_write', 'kv_store_system_read'],
  ['kv_store_read', 'kv_store_write', 'kv_store_system_read', 'access_token_create'],
];

describe('The records of the key-value store', () => {
  it('answer random calls of several callers as a plain model does', async () => {
    const database = await freshDatabase();
    const source = await connectedSource(database);
    const store = new KvRecordsStore(new UnitOfWork(source));
    let run = 0;
    try {
      await fc.assert(
        fc.asyncProperty(fc.array(step, { minLength: 10, maxLength: 40 }), async (steps) => {
          const installationId = `run-${run++}`;
          const model = new Model();
          for (const each of steps) {
            const held = CALLERS[each.caller] ?? [];
            const authority = authorityIn('github', installationId, held);
            if (!authority) throw new Error('no authority');
            await compare({ provider: 'github', installationId, authority }, each, model);
          }
        }),
        { numRuns: 60 },
      );
    } finally {
      await source.destroy();
      await database.drop();
    }

    async function compare(namespace: KvNamespace, each: Step, model: Model): Promise<void> {
      const held = namespace.authority.holds;
      const row = model.at(each.key, each.idx);
      const canRead = row !== undefined && (row.read ?? []).every((name) => held.has(name));
      const canWrite = row !== undefined && (row.write ?? []).every((name) => held.has(name));
      const write = {
        key: each.key,
        idx: each.idx,
        data: each.data,
        committed: each.committed,
        readCaps: LISTS[each.read],
        writeCaps: LISTS[each.write],
      };
      const next: ModelRow = {
        key: each.key,
        idx: each.idx,
        data: each.data,
        committed: each.committed,
        version: row ? row.version + 1 : 0,
        read: LISTS[each.read],
        write: LISTS[each.write],
      };
      const replaceRow = (): void => {
        model.rows = [...model.rows.filter((other) => other !== row), next];
      };
      switch (each.kind) {
        case 'put': {
          const allowed = !row || (canRead && canWrite);
          expect((await store.put(namespace, write))?.version).toBe(allowed ? next.version : undefined);
          if (allowed) replaceRow();
          return;
        }
        case 'insert':
          expect((await store.insert(namespace, write))?.version).toBe(row ? undefined : 0);
          if (!row) replaceRow();
          return;
        case 'replace': {
          const matches = canRead && canWrite && row.version === each.version;
          expect((await store.replace(namespace, write, each.version))?.version).toBe(
            matches ? next.version : undefined,
          );
          if (matches) replaceRow();
          return;
        }
        case 'find': {
          const shown = canRead && (row.committed || !each.committed);
          const found = await store.find(namespace, {
            key: each.key,
            idx: each.idx,
            committed: each.committed,
          });
          expect(found && [found.data, found.version]).toEqual(shown ? [row.data, row.version] : undefined);
          return;
        }
        case 'remove': {
          const targets = model
            .readable(held)
            .filter(
              (other) =>
                other.key === each.key &&
                (each.anyIdx || other.idx === each.idx) &&
                (each.anyVersion || other.version === each.version),
            );
          const refused = targets.some((other) => !(other.write ?? []).every((name) => held.has(name)));
          const answer = await store.remove(namespace, {
            key: each.key,
            idx: each.anyIdx ? undefined : each.idx,
            version: each.anyVersion ? undefined : each.version,
          });
          expect(answer).toEqual({ removed: refused ? 0 : targets.length, refused });
          if (!refused) model.rows = model.rows.filter((other) => !targets.includes(other));
          return;
        }
        case 'measure': {
          const rows = model
            .readable(held)
            .filter((other) => other.key === each.key && (other.committed || !each.committed));
          expect(
            await store.measure(namespace, { key: each.key, idx: undefined, committed: each.committed }),
          ).toEqual({
            count: rows.length,
            max_idx: Math.max(0, ...rows.map(({ idx }) => idx)),
            size: rows.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0),
          });
          return;
        }
        case 'iterate': {
          const compareStart = (other: ModelRow): number =>
            Buffer.compare(Buffer.from(other.key), Buffer.from(each.key)) || other.idx - each.idx;
          const rows = model
            .readable(held)
            .filter((other) => (each.after ? compareStart(other) > 0 : compareStart(other) >= 0))
            .filter((other) => !each.prefix || other.key.startsWith(each.key))
            .filter((other) => other.committed || !each.committed);
          const answer = await store.iterate(namespace, {
            start: each.key,
            idx: each.idx,
            after: each.after,
            end: each.prefix ? endOfPrefix(each.key) : undefined,
            visible: 'all',
            committed: each.committed,
            limit: each.limit,
            includeData: each.anyIdx,
          });
          expect(answer.records.map((record) => [record.key, record.idx, record.data])).toEqual(
            rows
              .slice(0, each.limit)
              .map((other) => [other.key, other.idx, each.anyIdx ? other.data : undefined]),
          );
          expect(answer.hasMore).toBe(rows.length > each.limit);
          return;
        }
        case 'commit': {
          const places = [
            { key: each.key, idx: each.anyIdx ? undefined : each.idx },
            { key: each.other, idx: undefined },
          ];
          const targets = model
            .readable(held)
            .filter((other) =>
              places.some((place) => place.key === other.key && (place.idx ?? other.idx) === other.idx),
            );
          const refused = targets.some((other) => !(other.write ?? []).every((name) => held.has(name)));
          const flipped = refused ? [] : targets.filter((other) => !other.committed);
          const answer = await store.commit(namespace, places);
          expect({ ...answer, rows: answer.rows.map((place) => ({ ...place })) }).toEqual({
            refused,
            rows: flipped.map((other) => ({ key: other.key, idx: other.idx })),
          });
          for (const other of flipped) other.committed = true;
          return;
        }
      }
    }
  });
});
