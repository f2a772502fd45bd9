import * as fc from 'fast-check';
import {
  acceptedByRun,
  BaseCandidate,
  basesOfHolder,
  basesOfRun,
  distinctDocuments,
  haveOneBase,
  withoutAcceptedRepeats,
} from './write-base.rules.js';
import { nameOf } from '../chunks/document-ref.js';

let made = 0;

function candidate(over: Partial<BaseCandidate> = {}): BaseCandidate {
  const position = over.position ?? ++made;
  const serial = over.serial ?? 3;
  const document = over.document ?? { version: serial };
  return {
    id: String(position),
    kind: 'read',
    runId: 'run',
    runName: undefined,
    lockId: undefined,
    connection: 'mine',
    address: 'here',
    serial,
    document,
    base: document,
    seenVersion: 3,
    position,
    at: 0,
    ...over,
  };
}

const refused = (serial: number) =>
  candidate({ kind: 'refused', serial, document: { submission: `refused ${made}` }, base: { version: 1 } });

const histories = fc
  .array(
    fc.record({
      kind: fc.constantFrom('read' as const, 'sent' as const, 'refused' as const),
      serial: fc.integer({ min: 1, max: 6 }),
      document: fc.oneof(
        fc.integer({ min: 1, max: 6 }).map((version) => ({ version })),
        fc.constantFrom({ submission: 'a' }, { submission: 'b' }),
      ),
    }),
    { maxLength: 8 },
  )
  .map((list) => list.map((one, index) => candidate({ ...one, position: index + 1 })));

describe('The base of a write of a known run', () => {
  it('is what the run read or had accepted last', () => {
    const [read, sent] = [candidate({ serial: 3 }), candidate({ kind: 'sent', serial: 4 })];
    expect(basesOfRun([read, sent], 5)).toEqual([sent]);
    const again = candidate({ serial: 7 });
    expect(basesOfRun([read, sent, again], 8)).toEqual([again]);
  });

  it('is what a refused document was refused against, until the run reads again', () => {
    const [read, mine] = [candidate({ serial: 3 }), refused(4)];
    expect(basesOfRun([read, mine], 5)).toEqual([mine]);
    const again = candidate({ serial: 4 });
    expect(basesOfRun([read, mine, again], 5)).toEqual([again]);
  });

  it('is the document with the serial before where the last one does not fit', () => {
    const [first, other] = [candidate({ serial: 3 }), candidate({ kind: 'sent', serial: 4 })];
    expect(basesOfRun([first, other], 4)).toEqual([first]);
  });

  it('is each document with the serial before where several clients share the identity', () => {
    const sent = (serial: number, document: BaseCandidate['document']) =>
      candidate({ kind: 'sent', serial, document });
    const read = candidate({ serial: 1 });
    const [one, two] = [sent(2, { version: 2 }), sent(2, { submission: 'of the other client' })];
    expect(basesOfRun([read, one, two], 3)).toEqual([two, one]);
    // One of them may have gone on meanwhile, or started from a version that it read before.
    expect(basesOfRun([read, one, sent(3, { version: 3 }), two], 3)).toEqual([two, one]);
    const [readByOther, merged] = [candidate({ serial: 3 }), sent(3, { submission: 'merged' })];
    expect(basesOfRun([read, one, readByOther, merged], 4)).toEqual([merged, readByOther]);
  });

  it('is the newer one of the documents with one serial when the run has read since', () => {
    const past = candidate({ kind: 'sent', serial: 3, document: { submission: 'past' } });
    const read = candidate({ serial: 3 });
    expect(basesOfRun([past, read], 4)).toEqual([read]);
    // The state was set back in between.
    const [again, sent] = [candidate({ serial: 2 }), candidate({ kind: 'sent', serial: 3 })];
    expect(basesOfRun([past, again, sent], 4)).toEqual([sent]);
  });

  it('lies further back after a gap, because gaps upward are legal', () => {
    const [read, mine] = [candidate({ serial: 3 }), refused(4)];
    expect(basesOfRun([read], 9)).toEqual([read]);
    expect(basesOfRun([read, mine], 9)).toEqual([mine]);
  });

  it('is nothing for a document older than all that the run has seen', () => {
    expect(basesOfRun([candidate({ serial: 5 }), candidate({ serial: 6 })], 4)).toEqual([]);
  });

  it('has a lower serial than the write, whatever the history', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 1, max: 8 }), (list, serial) => {
        expect(basesOfRun(list, serial).filter((found) => found.serial >= serial)).toEqual([]);
      }),
    );
  });

  it('does not depend on the order in which documents are found', () => {
    fc.assert(
      fc.property(histories, fc.integer({ min: 2, max: 7 }), (list, serial) => {
        const names = (found: BaseCandidate[]) => new Set(found.map(({ document }) => nameOf(document)));
        expect(names(basesOfRun(list, serial))).toEqual(names(basesOfRun([...list].reverse(), serial)));
      }),
    );
  });
});

describe('The base of a write under a lock', () => {
  const isOwn = ({ runName }: BaseCandidate) => runName === 'lock:x';
  const locked = () => candidate({ serial: 3, runName: 'lock:x' });

  it('is what was read after LOCK', () => {
    const [lock, read] = [locked(), candidate({ serial: 4, runName: 'lock:x' })];
    expect(basesOfHolder([lock, read], isOwn, 5)).toEqual([read]);
  });

  it('is found by its serial where another read may be the holder as well', () => {
    const [lock, loose] = [locked(), candidate({ serial: 4, connection: undefined })];
    expect(basesOfHolder([lock, loose], isOwn, 4)).toEqual([lock]);
    expect(basesOfHolder([lock, loose], isOwn, 5)).toEqual([loose]);
  });

  it('is all of what may be its base where the serials do not tell', () => {
    const sent = candidate({ kind: 'sent', serial: 4, runName: 'lock:x', document: { submission: 's' } });
    const loose = candidate({ serial: 4, connection: undefined });
    expect(basesOfHolder([locked(), sent, loose], isOwn, 5)).toEqual([sent, loose]);
  });
});

describe('Documents that a write may have been made from', () => {
  const merged = (runId: string) =>
    candidate({
      kind: 'refused',
      runId,
      document: { submission: `own ${++made}` },
      base: { submission: 'm' },
    });

  it('have one base when they were refused against the same version', () => {
    expect(haveOneBase([refused(4)])).toBe(true);
    expect(haveOneBase([refused(4), refused(4)])).toBe(true);
    expect(haveOneBase([refused(4), candidate({ serial: 4 })])).toBe(false);
    expect(haveOneBase([])).toBe(false);
  });

  it('have one base when one run was refused against one merged document', () => {
    expect(haveOneBase([merged('run'), merged('run')])).toBe(true);
    expect(haveOneBase([merged('run'), merged('other')])).toBe(false);
  });

  it('differ when they have seen different changes of others', () => {
    expect(haveOneBase([refused(4), { ...refused(4), seenVersion: 4 }])).toBe(false);
    expect(haveOneBase([refused(4), { ...refused(4), base: undefined }])).toBe(false);
  });
});

describe('Bytes that a run sends again', () => {
  it('take the place of the refused document with the same bytes once they are accepted', () => {
    const [first, other] = [refused(4), refused(4)];
    const sent = candidate({ kind: 'sent', serial: 4, document: { submission: 'accepted' } });
    const again = refused(4);
    const checksums = new Map(
      [first, other, sent, again].map((one) => [
        nameOf(one.document),
        Buffer.from(one === other ? 'other bytes' : 'bytes'),
      ]),
    );
    expect(withoutAcceptedRepeats([again, sent, other, first], checksums)).toEqual([again, sent, other]);
    expect(withoutAcceptedRepeats([sent, first], new Map())).toEqual([sent, first]);
  });

  it('are a retry when the run had them accepted and has not read since', () => {
    const [read, sent] = [candidate({ serial: 3 }), candidate({ kind: 'sent', serial: 4 })];
    expect(acceptedByRun([read, sent, refused(4)], 4)).toEqual([sent]);
    expect(acceptedByRun([sent, candidate({ serial: 4 })], 4)).toEqual([]);
  });
});

it('documents are listed once each', () => {
  fc.assert(
    fc.property(histories, (list) => {
      const names = distinctDocuments(list).map(({ document }) => nameOf(document));
      expect(new Set(names).size).toBe(names.length);
      expect(new Set(list.map(({ document }) => nameOf(document)))).toEqual(new Set(names));
    }),
  );
});
