import * as fc from 'fast-check';
import {
  aLargeDocument,
  addressOf,
  documents,
  GeneratedDocument,
  LAYOUTS,
  printDocument,
} from '../../../test/support/document-generator.js';
import { LayoutMismatch } from './boundaries.js';
import { DocumentCutter, Piece } from './document-cutter.js';
import { NotAState } from './document-frame.js';
import {
  decomposePiece,
  DocumentReader,
  inflateChunk,
  inflateIndex,
  NewChunk,
  ReadDocument,
} from './document-reader.js';
import { NotJson } from './json-scanner.js';

const OWNER = {
  stateId: '00000000-0000-4000-8000-000000000001',
  tenantId: '00000000-0000-4000-8000-000000000002',
};

function read(
  document: Buffer,
  options: { parts?: Buffer[]; known?: string[]; structural?: boolean } = {},
): { read: ReadDocument; fresh: NewChunk[] } {
  const fresh: NewChunk[] = [];
  const structural = options.structural ?? false;
  const reader = new DocumentReader(new Set(options.known), structural, (piece, chunk) =>
    fresh.push(decomposePiece(piece, chunk, OWNER).chunk),
  );
  for (const part of options.parts ?? [document]) reader.feed(part);
  return { read: reader.finish(), fresh };
}

function pieces(document: Buffer, structural: boolean, parts: Buffer[] = [document]): Piece[] {
  const all: Piece[] = [];
  const cutter = new DocumentCutter(
    (piece) => all.push({ ...piece, bytes: Buffer.from(piece.bytes) }),
    structural,
  );
  for (const part of parts) cutter.feed(part);
  cutter.finish();
  return all;
}

function split(document: Buffer, at: readonly number[]): Buffer[] {
  const cuts = [...new Set(at.map((cut) => cut % document.length))].sort((a, b) => a - b);
  return [0, ...cuts].map((from, index) => document.subarray(from, cuts[index] ?? document.length));
}

const large = fc
  .record({
    resources: fc.integer({ min: 1, max: 200 }),
    instancesEach: fc.constantFrom(1, 1, 3, 40),
    padding: fc.constantFrom(20, 700, 3000),
    seed: fc.integer({ min: 1 }),
  })
  .filter(({ resources, instancesEach, padding }) => resources * instancesEach * (padding + 300) < 700_000);

const oneHuge = fc.record({
  resources: fc.constantFrom(1, 2, 3),
  instancesEach: fc.integer({ min: 400, max: 900 }),
  padding: fc.constantFrom(20, 400),
  seed: fc.integer({ min: 1 }),
});

const anyLarge = fc.oneof(large, oneHuge).map((options) => printDocument(aLargeDocument(options)));

describe('Cutting a document', () => {
  it('loses, adds and moves no byte, whatever the layout', () => {
    fc.assert(
      fc.property(
        documents('l'),
        fc.constantFrom(...LAYOUTS),
        fc.boolean(),
        (document, layout, structural) => {
          const bytes = printDocument(document, layout);
          expect(Buffer.concat(pieces(bytes, structural).map((piece) => piece.bytes)).equals(bytes)).toBe(
            true,
          );
        },
      ),
    );
  });

  it('cuts a large document in the same places however the network splits it', () => {
    fc.assert(
      fc.property(anyLarge, fc.array(fc.nat(), { minLength: 1, maxLength: 30 }), (document, at) => {
        const whole = read(document).read.chunks;
        expect(read(document, { parts: split(document, at) }).read.chunks).toEqual(whole);
      }),
      { numRuns: 6 },
    );
  });

  it('cuts in the same places when every byte comes alone', () => {
    const document = printDocument(aLargeDocument({ resources: 70, padding: 900 }));
    const parts = Array.from(document, (_, index) => document.subarray(index, index + 1));
    expect(pieces(document, false, parts)).toEqual(pieces(document, false));
  });

  it('finds the same chunks by layout and by structure', () => {
    fc.assert(
      fc.property(anyLarge, (document) => {
        expect(read(document, { structural: true }).read.chunks).toEqual(read(document).read.chunks);
      }),
      { numRuns: 8 },
    );
  });

  it('changes only the chunks around a change', () => {
    const base = aLargeDocument({ resources: 900, padding: 700 });
    const chunks = read(printDocument(base)).read.chunks;
    const before = new Set(chunks.map((chunk) => chunk.hash));
    const renewed: number[] = [];
    for (const kind of ['change', 'remove', 'add']) {
      for (let at = 0.05; at < 1; at += 0.4) {
        const index = Math.floor(at * base.resources.length);
        const resources = [...base.resources];
        const resource = resources[index];
        if (!resource) continue;
        const changed = { ...resource, instances: [{ attributes: { members: [] }, dependencies: [] }] };
        if (kind === 'change') resources[index] = changed;
        else if (kind === 'remove') resources.splice(index, 1);
        else resources.splice(index, 0, { ...changed, name: 'brand_new' });
        const after = read(printDocument({ ...base, resources })).read.chunks;
        renewed.push(after.filter((chunk) => !before.has(chunk.hash)).length);
      }
    }
    // Where cuts fall depends on sizes too, so that a change may move the next few of them; never those far away.
    expect(renewed.reduce((sum, count) => sum + count, 0) / renewed.length).toBeLessThanOrEqual(3);
    expect(Math.max(...renewed)).toBeLessThan(chunks.length / 3);
  });

  it('keeps chunks of a resource of very many instances when one of them changes', () => {
    const base = aLargeDocument({ resources: 1, instancesEach: 3000, padding: 300 });
    const before = new Set(read(printDocument(base)).read.chunks.map((chunk) => chunk.hash));
    const [resource] = base.resources;
    const instances = [...(resource?.instances ?? [])];
    instances[1500] = { indexKey: '1500', attributes: { members: [] }, dependencies: [] };
    const after = read(printDocument({ ...base, resources: resource ? [{ ...resource, instances }] : [] }))
      .read.chunks;
    expect(before.size).toBeGreaterThan(6);
    expect(after.filter((chunk) => !before.has(chunk.hash)).length).toBeLessThanOrEqual(3);
  });
});

describe('Reading a document', () => {
  it('stores chunks that inflate to the document', () => {
    fc.assert(
      fc.property(anyLarge, (document) => {
        const { read: result, fresh } = read(document);
        const byHash = new Map(fresh.map((chunk) => [chunk.hash, inflateChunk(chunk.data)]));
        const again = Buffer.concat(result.chunks.map((chunk) => byHash.get(chunk.hash) ?? Buffer.alloc(0)));
        expect(again.equals(document)).toBe(true);
        expect(result.size).toBe(document.length);
      }),
      { numRuns: 6 },
    );
  });

  it('does not read a known chunk again', () => {
    fc.assert(
      fc.property(anyLarge, fc.func(fc.boolean()), (document, isKnown) => {
        const first = read(document);
        const known = first.fresh.map((chunk) => chunk.hash).filter((hash) => isKnown(hash));
        const second = read(document, { known });
        expect(second.read.chunks).toEqual(first.read.chunks);
        expect(second.fresh.map((chunk) => chunk.hash)).toEqual(
          first.fresh.map((chunk) => chunk.hash).filter((hash) => !known.includes(hash)),
        );
      }),
      { numRuns: 8 },
    );
  });

  it('lists each instance of the document once, in order', () => {
    const expected = (document: GeneratedDocument) =>
      document.resources.flatMap((resource) =>
        resource.instances.map(({ indexKey, deposed }) => ({
          resourceAddress: addressOf(resource),
          indexKey: indexKey === undefined ? undefined : (JSON.parse(indexKey) as unknown),
          deposed,
        })),
      );
    fc.assert(
      fc.property(
        fc.oneof(documents('l'), large.map(aLargeDocument), oneHuge.map(aLargeDocument)),
        fc.constantFrom(...LAYOUTS),
        (document, layout) => {
          if (layout === 'sorted') return;
          const { fresh } = read(printDocument(document, layout), { structural: layout !== 'client' });
          const nodes = fresh.flatMap((chunk) => (chunk.nodeIndex ? inflateIndex(chunk.nodeIndex) : []));
          expect(
            nodes.map(({ resourceAddress, indexKey, deposed }) => ({ resourceAddress, indexKey, deposed })),
          ).toEqual(expected(document));
        },
      ),
      { numRuns: 12 },
    );
  });

  it('gives an instance the same hash in every layout', () => {
    fc.assert(
      fc.property(
        documents('l'),
        fc.constantFrom('compact' as const, 'tabs' as const, 'crlf' as const),
        (document, layout) => {
          const hashes = (bytes: Buffer, structural: boolean) =>
            read(bytes, { structural }).fresh.flatMap((chunk) =>
              chunk.nodeIndex ? inflateIndex(chunk.nodeIndex).map((node) => node.hash) : [],
            );
          expect(hashes(printDocument(document, layout), true)).toEqual(
            hashes(printDocument(document), false),
          );
        },
      ),
    );
  });
});

describe('A resource', () => {
  const resource: Record<string, unknown> = {
    module: 'module.a',
    mode: 'managed',
    type: 't',
    name: 'n',
    provider: 'provider["x/y/z"]',
    instances: [{ index_key: 0, attributes: { a: 1 } }, { index_key: 1 }, {}],
  };
  const names = Object.keys(resource);

  function rows(order: readonly string[]): unknown {
    const plain = { mode: 'data', type: 'u', name: 'm', provider: 'p', instances: [{ attributes: {} }] };
    const ordered = Object.fromEntries(order.map((name) => [name, resource[name]]));
    const text = JSON.stringify({ version: 4, serial: 1, lineage: 'l', resources: [plain, ordered, plain] });
    const found: unknown[] = [];
    const reader = new DocumentReader(new Set(), true, (piece, chunk) => {
      const { chunk: made, graphError } = decomposePiece(piece, chunk, OWNER);
      const nodes = made.nodeIndex && inflateIndex(made.nodeIndex);
      found.push({ graphError, tuples: made.tuples, ends: made.tupleEnds, nodes });
    });
    reader.feed(Buffer.from(text));
    expect(reader.finish().frame.graphError).toBeUndefined();
    return found;
  }

  it('gives the same rows in whatever order its members stand', () => {
    fc.assert(
      fc.property(fc.shuffledSubarray(names, { minLength: names.length }), (order) => {
        expect(rows(order)).toEqual(rows(names));
      }),
    );
  });
});

describe('What is JSON', () => {
  const head = '{"version":4,"serial":1,"lineage":"l","resources":';
  const thing = '"mode":"managed","type":"t","name":"n","provider":"provider[\\"x/y/z\\"]"';
  const instance = (size: number, key = '0') =>
    `{"index_key":${key},"attributes":{"a":"${'x'.repeat(size)}"}}`;
  const many = Array.from({ length: 1500 }, (_, index) => instance(400, String(index))).join(',');

  /** why there is no graph, or that it cannot be read; what is read must be the document, byte for byte */
  function outcome(text: string, structural: boolean): string | undefined {
    const errors: (string | undefined)[] = [];
    const bytes = Buffer.from(text);
    const reader = new DocumentReader(new Set(), structural, (piece, chunk) =>
      errors.push(decomposePiece(piece, chunk, OWNER).graphError),
    );
    try {
      reader.feed(bytes);
      const { chunks, frame } = reader.finish();
      expect(chunks.reduce((sum, chunk) => sum + chunk.size, 0)).toBe(bytes.length);
      return frame.graphError ?? errors.find((error) => error !== undefined);
    } catch (error) {
      if (error instanceof NotAState) return 'no state';
      if (error instanceof NotJson || error instanceof LayoutMismatch) return 'unreadable';
      throw error;
    }
  }

  function isJson(text: string): boolean {
    try {
      JSON.parse(text);
      return true;
    } catch {
      return false;
    }
  }

  it.each([
    ['a control byte for a list', `${head}[\x01]}`],
    ['a comma after a large resource', `${head}[{${thing},"instances":[${instance(600_000)}]},]}`],
    ['a comma after a large instance', `${head}[{${thing},"instances":[${instance(600_000)},]}]}`],
    ['a comma between brackets', `${head}[,]}`],
    ['two commas', `${head}[{${thing},"instances":[${instance(600_000)}]},,{}]}`],
  ])('%s is not', (_name, text) => {
    expect([isJson(text), outcome(text, true), outcome(text, false)]).toEqual([
      false,
      'unreadable',
      'unreadable',
    ]);
  });

  it.each([
    [
      'a resource named instances',
      `${head}[{${thing.replace('"n"', '"instances"')},"instances":[${many}]}]}`,
    ],
    ['a resource whose instances are null', `${head}[{${thing},"instances":null}]}`],
    [
      'a large resource that says what it is after its instances',
      `${head}[{"instances":[${many}],${thing}}]}`,
    ],
    ['a resource without members', `${head}[{}]}`],
  ])('%s is, and has a graph', (_name, text) => {
    const pretty = JSON.stringify(JSON.parse(text), null, 2);
    expect([outcome(text, true), outcome(text, false), outcome(pretty, false)]).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it.each([
    ['an instance that is null', `${head}[{${thing},"instances":[null]}]}`, 'an instance is null'],
    ['a resource that is null', `${head}[null]}`, 'no state'],
    ['an instance that is a list', `${head}[{${thing},"instances":[[]]}]}`, 'no state'],
    ['a resource whose instances are text', `${head}[{${thing},"instances":"none"}]}`, 'no state'],
    [
      'a resource with something else of that name before its own list',
      `${head}[{${thing},"instances":{"instances":[]},"instances":[${many}]}]}`,
      'no state',
    ],
  ])('%s is, and has none', (_name, text, reason) => {
    expect([isJson(text), outcome(text, true)]).toEqual([true, reason]);
  });

  it('is decided as the language does, whatever one byte is changed to and whatever the layout', () => {
    const document = aLargeDocument({ resources: 30, instancesEach: 10, padding: 60 });
    const texts = LAYOUTS.map((layout) => printDocument(document, layout).toString());
    const spots = texts.map((text) => [...text.matchAll(/[[\]{},:"]/g)].map((match) => match.index));
    const change = fc.constantFrom('', ',', '[', ']', '{', '}', '"', ':', ' ', '\x01', '1', 'null', ',,');
    fc.assert(
      fc.property(
        fc.nat({ max: texts.length - 1 }),
        fc.nat(),
        fc.nat({ max: 1 }),
        change,
        (layout, spot, over, by) => {
          const text = texts[layout] ?? '';
          const at = spots[layout]?.[spot % (spots[layout]?.length ?? 1)] ?? 0;
          const changed = text.slice(0, at) + by + text.slice(at + over);
          const found = outcome(changed, true);
          // What names a member twice is refused for that, whatever comes after.
          if (isJson(changed)) expect(found).not.toBe('unreadable');
          else expect(['unreadable', 'no state']).toContain(found);
          // In the client's layout it may say that it cannot tell; it never takes what is not JSON.
          if (!isJson(changed)) expect(['unreadable', 'no state']).toContain(outcome(changed, false));
        },
      ),
      { numRuns: 100 },
    );
  });
});
