import * as fc from 'fast-check';
import { BinaryCopyReader, framed } from './binary-copy.js';

type Row = (Buffer | null)[];

function tupleOf(row: Row): Buffer {
  const parts = row.map((field) => {
    const length = Buffer.alloc(4);
    length.writeInt32BE(field?.length ?? -1);
    return Buffer.concat([length, field ?? Buffer.alloc(0)]);
  });
  const count = Buffer.alloc(2);
  count.writeInt16BE(row.length);
  return Buffer.concat([count, ...parts]);
}

async function copied(rows: readonly Row[]): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of framed(rows.map(tupleOf))) parts.push(part);
  return Buffer.concat(parts);
}

const field = fc.option(fc.uint8Array({ maxLength: 40 }).map((bytes) => Buffer.from(bytes)));
const table = fc.array(fc.array(field, { minLength: 1, maxLength: 5 }), { maxLength: 6 });

describe('The rows of a binary COPY', () => {
  it('are the same wherever the network cuts them', async () => {
    await fc.assert(
      fc.asyncProperty(table, fc.array(fc.nat(), { maxLength: 8 }), async (rows, cuts) => {
        const bytes = await copied(rows);
        const ends = [...new Set(cuts.map((cut) => cut % bytes.length))].sort((a, b) => a - b);
        const reader = new BinaryCopyReader();
        [...ends, bytes.length].forEach((end, i) => reader.feed(bytes.subarray(ends[i - 1] ?? 0, end)));
        expect(reader.rows).toEqual(rows);
      }),
    );
  });

  it('may come byte by byte', async () => {
    const rows = [[Buffer.from('one'), null, Buffer.alloc(0)], [Buffer.alloc(70_000, 'x')]];
    const reader = new BinaryCopyReader();
    for (const byte of await copied(rows)) reader.feed(Buffer.from([byte]));
    expect(reader.rows).toEqual(rows);
  });
});
