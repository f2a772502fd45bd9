import * as fc from 'fast-check';
import { packColumns, unpackColumns } from './packed-columns.js';

const someColumn = fc.oneof(
  fc.array(fc.nat(0xffffffff), { maxLength: 40 }),
  fc.array(fc.nat(300), { maxLength: 40 }),
  fc.array(fc.nat(70_000), { maxLength: 40 }),
);

describe('packed columns', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.array(someColumn, { maxLength: 6 }), fc.string(), fc.boolean(), (lists, text, large) => {
        const columns = lists.map((list) => Uint32Array.from(list));
        if (large) columns.push(Uint32Array.from({ length: 40_000 }, (_, i) => (i * 7919) % 100_003));
        const stored = packColumns({ columns, text: Buffer.from(text) });
        const shifted = Buffer.concat([Buffer.alloc(1), stored]).subarray(1);
        for (const each of [stored, shifted]) {
          const again = unpackColumns(each);
          expect(again.columns.map((column) => [...column])).toEqual(columns.map((column) => [...column]));
          expect(again.text.toString()).toBe(Buffer.from(text).toString());
        }
      }),
      { numRuns: 50 },
    );
  });
});
