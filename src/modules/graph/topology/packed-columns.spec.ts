import * as fc from 'fast-check';
import { packColumns, unpackColumns } from './packed-columns.js';

const someColumn = fc.oneof(
  fc.array(fc.nat(0xffffffff), { maxLength: 40 }),
  fc.array(fc.nat(300), { maxLength: 40 }),
  fc.array(fc.nat(70_000), { maxLength: 40 }),
);

const LARGE = [
  [7919, 100_003],
  [7, 30_000],
  [1, 100],
] as const;

const sawtooth = (step: number, turn: number) =>
  Uint32Array.from({ length: 40_000 }, (_, i) => (i * step) % turn);

/** Compared far quicker than numbers. */
const bytesOf = ({ buffer, byteOffset, byteLength }: Uint32Array): string =>
  Buffer.from(buffer, byteOffset, byteLength).toString('base64');

describe('packed columns', () => {
  it('come back as they were', () => {
    fc.assert(
      fc.property(fc.array(someColumn, { maxLength: 6 }), fc.string(), fc.boolean(), (lists, text, large) => {
        const columns = lists.map((list) => Uint32Array.from(list));
        // Their differences take four bytes a value, two, and one.
        if (large) for (const [step, turn] of LARGE) columns.push(sawtooth(step, turn));
        const stored = packColumns({ columns, text: Buffer.from(text) });
        const shifted = Buffer.concat([Buffer.alloc(1), stored]).subarray(1);
        for (const each of [stored, shifted]) {
          const again = unpackColumns(each);
          expect(again.columns.map(bytesOf)).toEqual(columns.map(bytesOf));
          expect(again.text.toString()).toBe(Buffer.from(text).toString());
        }
      }),
      { numRuns: 50 },
    );
  });

  it.each([1, 300, 70_000])('truncated columns with values up to %i are refused', (value) => {
    const stored = packColumns({ columns: [Uint32Array.of(value, value, value)], text: Buffer.alloc(0) });
    expect(() => unpackColumns(stored.subarray(0, -4))).toThrow('cut off');
  });
});
