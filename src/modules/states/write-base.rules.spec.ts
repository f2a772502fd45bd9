import * as fc from 'fast-check';
import { BaseCandidate, closest, plausibleBases, sameDocument } from './write-base.rules.js';

function candidate(over: Partial<BaseCandidate> = {}): BaseCandidate {
  return {
    kind: 'read',
    runId: 'run',
    connection: 'mine',
    address: 'here',
    serial: 3,
    document: { version: 3 },
    base: { version: 3 },
    seenVersion: 3,
    at: 0,
    ...over,
  };
}

const candidates = fc.array(
  fc
    .record({
      kind: fc.constantFrom('read' as const, 'sent' as const, 'refused' as const),
      connection: fc.constantFrom('mine', 'other', 'third'),
      serial: fc.integer({ min: 1, max: 6 }),
      document: fc.oneof(
        fc.integer({ min: 1, max: 6 }).map((version) => ({ version })),
        fc.constantFrom({ submission: 'a' }, { submission: 'b' }),
      ),
      seenVersion: fc.integer({ min: 1, max: 6 }),
      at: fc.nat({ max: 9 }),
    })
    .map(candidate),
  { maxLength: 8 },
);

describe('The base of a write', () => {
  it('is a document with the serial before, of the own connection if it has one', () => {
    const own = candidate({ document: { version: 3 } });
    const foreign = candidate({ connection: 'other', document: { version: 4 }, seenVersion: 4 });
    expect(plausibleBases([foreign, own], { connection: 'mine', direct: true }, 4)).toEqual([own]);
    expect(plausibleBases([foreign], { connection: 'mine', direct: true }, 4)).toEqual([foreign]);
  });

  it('is the refused document when the client sends its next serial', () => {
    const read = candidate();
    const refused = candidate({
      kind: 'refused',
      serial: 4,
      document: { submission: 's' },
      base: { version: 3 },
    });
    expect(plausibleBases([refused, read], { connection: 'mine', direct: true }, 5)).toEqual([refused]);
  });

  it('may lie further back, because gaps upward are legal, but is no refused document then', () => {
    const read = candidate();
    const refused = candidate({ kind: 'refused', serial: 4, document: { submission: 's' } });
    expect(plausibleBases([refused, read], { connection: 'mine', direct: true }, 9)).toEqual([read]);
    expect(plausibleBases([refused], { connection: 'mine', direct: true }, 9)).toEqual([]);
  });

  it('is never a document with the same or a later serial', () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 1, max: 8 }), (list, serial) => {
        expect(
          plausibleBases(list, { connection: 'mine', direct: true }, serial).filter(
            (found) => found.serial >= serial,
          ),
        ).toEqual([]);
      }),
    );
  });

  it('is no foreign document while the own connection has one with the right serial', () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 2, max: 7 }), (list, serial) => {
        if (!list.some((one) => one.connection === 'mine' && one.serial === serial - 1)) return;
        expect(
          plausibleBases(list, { connection: 'mine', direct: true }, serial).every(
            (found) => found.connection === 'mine',
          ),
        ).toBe(true);
      }),
    );
  });

  it('names no document twice, and takes the reading where one was both got and sent', () => {
    fc.assert(
      fc.property(candidates, fc.integer({ min: 2, max: 7 }), (list, serial) => {
        const found = plausibleBases(list, { connection: 'mine', direct: true }, serial);
        for (const [index, one] of found.entries()) {
          expect(found.findIndex((other) => sameDocument(other.document, one.document))).toBe(index);
        }
      }),
    );
    const sent = candidate({ kind: 'sent', seenVersion: 5 });
    const read = candidate({ kind: 'read', seenVersion: 3 });
    expect(plausibleBases([sent, read], { connection: 'mine', direct: true }, 4)).toEqual([read]);
    expect(plausibleBases([read, sent], { connection: 'mine', direct: true }, 4)).toEqual([read]);
  });

  it('is the smallest difference, then the one that saw least, then the oldest', () => {
    const [a, b, c] = [
      candidate({ seenVersion: 5, at: 1 }),
      candidate({ seenVersion: 4, at: 9 }),
      candidate({ seenVersion: 4, at: 2 }),
    ];
    expect(
      closest([
        { candidate: b, difference: 2 },
        { candidate: a, difference: 1 },
      ]),
    ).toEqual([a]);
    expect(
      closest([
        { candidate: a, difference: 1 },
        { candidate: b, difference: 1 },
        { candidate: c, difference: 1 },
      ]),
    ).toEqual([c, b, a]);
    expect(closest([])).toEqual([]);
  });

  it('does not depend on the order in which candidates are found', () => {
    const measured = fc.array(
      fc.record({
        candidate: fc.record({ seenVersion: fc.nat({ max: 3 }), at: fc.nat() }).map(candidate),
        difference: fc.nat({ max: 3 }),
      }),
      { minLength: 1, maxLength: 6 },
    );
    fc.assert(
      fc.property(measured, (list) => {
        const order = (found: BaseCandidate[]) => found.map(({ seenVersion, at }) => [seenVersion, at]);
        expect(order(closest(list))).toEqual(order(closest([...list].reverse())));
      }),
    );
  });
});
