import fc from 'fast-check';
import { type JsonRecord, jsonRecords } from './json-records.js';

async function* pieces(text: string, size: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text);
  for (let from = 0; from < bytes.length; from += size) yield bytes.subarray(from, from + size);
  await Promise.resolve();
}

async function recordsOf(text: string, size = 5): Promise<JsonRecord[]> {
  const records: JsonRecord[] = [];
  const isRecord = (path: readonly string[]): boolean => path[0] === 'records' && path.length === 2;
  for await (const record of jsonRecords(pieces(text, size), isRecord)) records.push(record);
  return records;
}

describe('Records of a large JSON document', () => {
  it('are what JSON.parse finds below their path, wherever the stream is cut', async () => {
    const key = fc.string({ unit: fc.constantFrom('a', 'é', '"', '\\', '{', ']', ':', ','), minLength: 1 });
    const value = fc.dictionary(key, fc.oneof(fc.jsonValue({ maxDepth: 2 }), key));
    const inputs = fc.tuple(fc.dictionary(key, value), key, fc.integer({ min: 1, max: 9 }), fc.boolean());
    await fc.assert(
      fc.asyncProperty(inputs, async ([records, other, size, isIndented]) => {
        const document = { before: other, aside: { [other]: { x: 1 } }, records, after: [] };
        const text = JSON.stringify(document, undefined, isIndented ? 2 : 0);
        const expected = Object.entries(JSON.parse(text).records as object);
        expect(await recordsOf(text, size)).toEqual(
          expected.map(([name, each]) => ({ path: ['records', name], value: each as unknown })),
        );
      }),
    );
  });

  it('are refused when the document ends in one of them', async () => {
    await expect(recordsOf('{"records":{"a":{"x":"}"')).rejects.toThrow('JSON document is truncated');
  });
});
