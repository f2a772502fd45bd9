import fc from 'fast-check';
import { csvRows } from './csv-rows.js';

async function* pieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
  await Promise.resolve();
}

async function rowsOf(text: string, size = 7): Promise<string[][]> {
  const rows: string[][] = [];
  for await (const row of csvRows(pieces(text, size))) rows.push(row);
  return rows;
}

const written = (field: string): string => `"${field.replaceAll('"', '""')}"`;

describe('CSV rows', () => {
  it('are what was written, wherever the stream is cut', async () => {
    // A carriage return at the end of a row belongs to the line end, also in quotes.
    const field = fc
      .string({ unit: fc.constantFrom('a', 'é', '"', ',', '\n', '\r', ' ') })
      .filter((text) => !text.endsWith('\r'));
    const rows = fc.array(fc.array(field, { minLength: 1, maxLength: 4 }), { maxLength: 5 });
    await fc.assert(
      fc.asyncProperty(rows, fc.integer({ min: 1, max: 9 }), async (expected, size) => {
        const text = expected.map((row) => `${row.map(written).join(',')}\n`).join('');
        expect(await rowsOf(text, size)).toEqual(expected);
      }),
    );
  });

  it('end at either line end, and at the end of the file', async () => {
    expect(await rowsOf('a,b\r\n,"c"\nd')).toEqual([['a', 'b'], ['', 'c'], ['d']]);
  });

  it('are refused when a quote stays open', async () => {
    await expect(rowsOf('a,"b\n')).rejects.toThrow('CSV file is truncated: a quote is open');
    await expect(rowsOf(`"${'x'.repeat(1_000_001)}`, 65_536)).rejects.toThrow(
      'a field of the CSV file is too long',
    );
  });
});
