import * as fc from 'fast-check';
import {
  aLargeDocument,
  addressOf,
  documents,
  printDocument,
} from '../../../test/support/document-generator.js';
import { DocumentCutter, Piece } from './document-cutter.js';
import { instanceAddress, keyOf } from './instance-address.js';
import { joinResources, splitResources } from './resource-text.js';

function runsOf(document: Buffer): Piece[] {
  const pieces: Piece[] = [];
  const cutter = new DocumentCutter(
    (piece) => pieces.push({ ...piece, bytes: Buffer.from(piece.bytes) }),
    false,
  );
  cutter.feed(document);
  cutter.finish();
  return pieces.filter((piece) => piece.kind === 'resources');
}

function again(run: Piece): Buffer {
  return joinResources(splitResources(run.bytes, run.context), { trailingComma: run.bytes.at(-1) === 0x2c });
}

describe('Resources as texts', () => {
  it('come back byte for byte when nothing was edited', () => {
    fc.assert(
      fc.property(documents('l'), (document) => {
        for (const run of runsOf(printDocument(document)))
          expect(again(run).toString()).toBe(run.bytes.toString());
      }),
    );
  });

  it('come back byte for byte where a document was cut, between resources and inside of one', () => {
    const many = aLargeDocument({ resources: 1500, padding: 900 });
    const huge = aLargeDocument({ resources: 2, instancesEach: 5000, padding: 150 });
    for (const document of [many, huge]) {
      const runs = runsOf(printDocument(document));
      expect(runs.length).toBeGreaterThan(3);
      for (const run of runs) expect(again(run).equals(run.bytes)).toBe(true);
    }
    expect(runsOf(printDocument(huge)).some((run) => run.context && run.open)).toBe(true);
  });

  it('name every instance by the key the graph uses', () => {
    fc.assert(
      fc.property(documents('l'), (document) => {
        const found = runsOf(printDocument(document)).flatMap((run) =>
          splitResources(run.bytes, run.context),
        );
        expect(
          found.map(({ address, instances }) => ({
            address,
            keys: instances.map((instance) => instance.key),
          })),
        ).toEqual(
          document.resources.map((resource) => ({
            address: addressOf(resource),
            keys: resource.instances.map(({ indexKey, deposed }) =>
              keyOf(
                instanceAddress(
                  addressOf(resource),
                  indexKey === undefined ? undefined : (JSON.parse(indexKey) as string | number),
                ),
                deposed,
              ),
            ),
          })),
        );
      }),
    );
  });

  it.each([
    ['its module', ['mode', 'type', 'name', 'provider', 'instances', 'module']],
    ['its name and module', ['mode', 'type', 'provider', 'instances', 'name', 'module']],
    ['everything but its module', ['module', 'instances', 'mode', 'type', 'name', 'provider']],
  ])('are the same when a resource says %s after its instances', (_name, order) => {
    const resource: Record<string, unknown> = {
      module: 'module.a',
      mode: 'managed',
      type: 't',
      name: 'n',
      provider: 'provider["x/y/z"]',
      instances: [{ index_key: 0, attributes: { a: 1 } }, { index_key: 1 }],
    };
    const shuffled = Object.fromEntries(order.map((name) => [name, resource[name]]));
    const split = (value: unknown) => splitResources(Buffer.from(JSON.stringify(value)), undefined);
    const [found, ...others] = split(shuffled);
    const [expected] = split(resource);
    expect(others).toEqual([]);
    expect(found?.address).toBe('module.a.t.n');
    expect(found?.header).toBe(expected?.header);
    expect(found?.instances.map(({ key, text }) => [key, JSON.parse(text)])).toEqual(
      expected?.instances.map(({ key, text }) => [key, JSON.parse(text)]),
    );
  });
});
