import fc from 'fast-check';
import { endOfPrefix } from '../../src/modules/kv/key-range.rules.js';
import type { KvNamespace } from '../../src/modules/kv/kv-namespaces.js';
import type { KvRecordsStore } from '../../src/modules/kv/kv-records.store.js';
import type { NamedTokenCapability } from '../../src/modules/tokens/index.js';

export interface ModelRow {
  key: string;
  idx: number;
  data: string;
  version: number;
  committed: boolean;
  read: NamedTokenCapability[] | undefined;
  write: NamedTokenCapability[] | undefined;
}

/** What the store holds, in no order. Never changed: a step answers new rows. */
export type ModelRows = readonly ModelRow[];

const LISTS: (NamedTokenCapability[] | undefined)[] = [
  undefined,
  undefined,
  undefined,
  ['kv_store_system_read'],
  ['access_token_create'],
];
const KEYS = ['a', 'a/', 'a0', 'b', 'é', '\ud7ff', '\ue000', '\u{10000}', 'a\u{10ffff}'];
const KINDS = ['put', 'put', 'insert', 'replace', 'find', 'remove', 'measure', 'iterate', 'commit'] as const;

export const CALLERS: NamedTokenCapability[][] = [
  ['kv_store_read', 'kv_store_write'],
  ['kv_store_read', 'kv_store_write', 'kv_store_system_read'],
  ['kv_store_read', 'kv_store_write', 'kv_store_system_read', 'access_token_create'],
];

/** One call of one caller. @param keys few of them make calls meet */
export const stepOver = (keys: number) => {
  const key = fc.constantFrom(...KEYS.slice(0, keys));
  return fc.record({
    kind: fc.constantFrom(...KINDS),
    caller: fc.nat(CALLERS.length - 1),
    key,
    other: key,
    idx: fc.nat(keys > 2 ? 2 : 1),
    anyIdx: fc.boolean(),
    version: fc.nat(2),
    anyVersion: fc.boolean(),
    data: fc.string({ unit: 'grapheme', maxLength: 5 }),
    committed: fc.boolean(),
    read: fc.constantFrom(...LISTS),
    write: fc.constantFrom(...LISTS),
    prefix: fc.boolean(),
    after: fc.boolean(),
    limit: fc.integer({ min: 1, max: 6 }),
  });
};
export type Step = ReturnType<typeof stepOver> extends fc.Arbitrary<infer S> ? S : never;

export const ALL_KEYS = KEYS.length;

const byPlace = (a: { key: string; idx: number }, b: { key: string; idx: number }): number =>
  Buffer.compare(Buffer.from(a.key), Buffer.from(b.key)) || a.idx - b.idx;

/** What the rows answer to a step and what they are after it, written as plainly as possible. */
export function modelOf(rows: ModelRows, step: Step): { answer: unknown; rows: ModelRows } {
  const held = new Set<string>(CALLERS[step.caller]);
  const mayRead = (row: ModelRow): boolean => (row.read ?? []).every((name) => held.has(name));
  const mayWrite = (row: ModelRow): boolean => (row.write ?? []).every((name) => held.has(name));
  const readable = rows.filter(mayRead).sort(byPlace);
  const row = rows.find(({ key, idx }) => key === step.key && idx === step.idx);
  const written: ModelRow = {
    key: step.key,
    idx: step.idx,
    data: step.data,
    committed: step.committed,
    version: row ? row.version + 1 : 0,
    read: step.read,
    write: step.write,
  };
  const replaced = [...rows.filter((other) => other !== row), written];
  const unchanged = (answer: unknown): { answer: unknown; rows: ModelRows } => ({ answer, rows });
  switch (step.kind) {
    case 'put':
      if (row && !(mayRead(row) && mayWrite(row))) return unchanged(undefined);
      return { answer: written.version, rows: replaced };
    case 'insert':
      return row ? unchanged(undefined) : { answer: 0, rows: replaced };
    case 'replace':
      if (!row || row.version !== step.version || !mayRead(row) || !mayWrite(row))
        return unchanged(undefined);
      return { answer: written.version, rows: replaced };
    case 'find':
      return unchanged(
        row && mayRead(row) && (row.committed || !step.committed) ? [row.data, row.version] : undefined,
      );
    case 'remove': {
      const targets = readable
        .filter(({ key, idx }) => key === step.key && (step.anyIdx || idx === step.idx))
        .filter(({ version }) => step.anyVersion || version === step.version);
      if (!targets.every(mayWrite)) return unchanged({ removed: 0, refused: true });
      return {
        answer: { removed: targets.length, refused: false },
        rows: rows.filter((other) => !targets.includes(other)),
      };
    }
    case 'measure': {
      const found = readable.filter(
        ({ key, committed }) => key === step.key && (committed || !step.committed),
      );
      return unchanged({
        count: found.length,
        max_idx: Math.max(0, ...found.map(({ idx }) => idx)),
        size: found.reduce((sum, { data }) => sum + Buffer.byteLength(data), 0),
      });
    }
    case 'iterate': {
      const found = readable
        .filter((other) => (step.after ? byPlace(other, step) > 0 : byPlace(other, step) >= 0))
        .filter(({ key }) => !step.prefix || key.startsWith(step.key))
        .filter(({ committed }) => committed || !step.committed);
      const shown = found.slice(0, step.limit);
      return unchanged({
        records: shown.map(({ key, idx, data }) => [key, idx, step.anyIdx ? data : undefined]),
        hasMore: found.length > shown.length,
      });
    }
    case 'commit': {
      const targets = readable.filter(({ key, idx }) =>
        placesOf(step).some((place) => place.key === key && (place.idx ?? idx) === idx),
      );
      if (!targets.every(mayWrite)) return unchanged({ refused: true, rows: [] });
      const flipped = targets.filter(({ committed }) => !committed);
      return {
        answer: { refused: false, rows: flipped.map(({ key, idx }) => [key, idx]) },
        rows: rows.map((other) => (flipped.includes(other) ? { ...other, committed: true } : other)),
      };
    }
  }
}

const placesOf = (step: Step): { key: string; idx: number | undefined }[] => [
  { key: step.key, idx: step.anyIdx ? undefined : step.idx },
  { key: step.other, idx: undefined },
];

/** What the store answers to the same step. */
export async function askStore(store: KvRecordsStore, namespace: KvNamespace, step: Step): Promise<unknown> {
  const { key, idx, committed } = step;
  const write = { key, idx, data: step.data, committed, readCaps: step.read, writeCaps: step.write };
  switch (step.kind) {
    case 'put':
      return (await store.put(namespace, write))?.version;
    case 'insert':
      return (await store.insert(namespace, write))?.version;
    case 'replace':
      return (await store.replace(namespace, write, step.version))?.version;
    case 'find': {
      const found = await store.find(namespace, { key, idx, committed });
      return found && [found.data, found.version];
    }
    case 'remove':
      return store.remove(namespace, {
        key,
        idx: step.anyIdx ? undefined : idx,
        version: step.anyVersion ? undefined : step.version,
      });
    case 'measure':
      return store.measure(namespace, { key, idx: undefined, committed });
    case 'iterate': {
      const { records, hasMore } = await store.iterate(namespace, {
        start: key,
        idx,
        after: step.after,
        end: step.prefix ? endOfPrefix(key) : undefined,
        visible: 'all',
        committed,
        limit: step.limit,
        includeData: step.anyIdx,
      });
      return { records: records.map((record) => [record.key, record.idx, record.data]), hasMore };
    }
    case 'commit': {
      const { rows, refused } = await store.commit(namespace, placesOf(step));
      return { refused, rows: rows.map((row) => [row.key, row.idx]) };
    }
  }
}
