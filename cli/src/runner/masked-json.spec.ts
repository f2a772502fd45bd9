import fc from 'fast-check';
import { KeptOutput } from './kept-output.js';
import { listJson, maskedJson } from './masked-json.js';
import { Masker } from './masking.rules.js';

const SECRET = 'hunter2-"quoted"';

const parsed = (json: readonly Buffer[]): unknown => JSON.parse(Buffer.concat(json).toString());

describe('JSON with masked texts', () => {
  it('is that of the value, with every secret masked', () => {
    const masker = new Masker();
    masker.add(SECRET);
    const text = fc.oneof(
      fc.string({ unit: 'binary' }),
      fc.string().map((around) => `${around}${SECRET}${around}`),
    );
    const values = fc.object({
      maxDepth: 2,
      maxKeys: 4,
      key: text,
      values: [text, fc.integer(), fc.boolean(), fc.constant(null)],
    });
    fc.assert(
      fc.property(values, (value) => {
        const { item } = parsed([listJson('item', [maskedJson(value, masker)])]) as { item: unknown };
        expect(item).toEqual([masker.maskAll(value)]);
      }),
    );
  });

  it('leaves out what is undefined', () => {
    expect(parsed(maskedJson({ a: undefined, b: [undefined, 1] }, new Masker()))).toEqual({ b: [null, 1] });
  });

  it('masks across the pieces of a long text and of kept output', () => {
    const masker = new Masker();
    masker.add(SECRET);
    // The second secret lies across the end of the first 64 KiB.
    const around = 'é'.repeat(32_760);
    const text = `${around}${SECRET}${around}${SECRET}`;
    const output = new KeptOutput(1_000_000);
    output.add('stdout', text.slice(0, 32_765));
    output.add('stderr', text.slice(32_765));
    const masked = `${around}***${around}***`;
    expect(parsed(maskedJson({ text, output }, masker))).toEqual({ text: masked, output: masked });
  });

  it('lists what it is given', () => {
    expect(parsed([listJson('none', [])])).toEqual({ none: [] });
    const items = [maskedJson(1, new Masker()), maskedJson('a', new Masker())];
    expect(parsed([listJson('both', items)])).toEqual({ both: [1, 'a'] });
  });
});
