import fc from 'fast-check';
import { Masker } from './masking.rules.js';

const secret = fc
  .string({ unit: 'grapheme', minLength: 6, maxLength: 40 })
  .filter((text) => text.trim().length >= 6);

describe('masking', () => {
  it('hides a value, each of its lines, and its URL and JSON forms', () => {
    const masker = new Masker();
    masker.add('first line&\nsecond "line"');
    expect(masker.mask('a first line& b')).toBe('a *** b');
    expect(masker.mask('x=first%20line%26&y')).toBe('x=***&y');
    expect(masker.mask('{"v":"second \\"line\\""}')).toBe('{"v":"***"}');
    expect(masker.maskAll({ a: ['second "line"'], n: 1 })).toEqual({ a: ['***'], n: 1 });
  });

  it('hides random values in chunks of any size as if they came at once', () => {
    fc.assert(
      fc.property(
        fc.array(secret, { minLength: 1, maxLength: 3 }),
        fc.array(fc.string({ maxLength: 9 })),
        fc.integer({ min: 1, max: 7 }),
        (secrets, around, size) => {
          const masker = new Masker();
          for (const value of secrets) masker.add(value);
          const text = secrets.map((value, n) => (around[n] ?? '-') + value).join('|');
          let shown = '';
          const stream = masker.stream((part) => (shown += part));
          for (let at = 0; at < text.length; at += size) stream.write(text.slice(at, at + size));
          stream.end();
          expect(shown).toBe(masker.mask(text));
          for (const value of secrets) expect(shown).not.toContain(value);
        },
      ),
    );
  });

  it('hides a value inside of base64 at every alignment', () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[!-~]{8,40}$/),
        fc.uint8Array({ maxLength: 5 }),
        fc.uint8Array({ maxLength: 5 }),
        (value, before, after) => {
          const masker = new Masker();
          masker.add(value);
          const encoded = Buffer.concat([before, Buffer.from(value), after]).toString('base64');
          const shown = masker.mask(encoded);
          expect(shown).toContain('***');
          expect(Buffer.from(shown.replaceAll('***', ''), 'base64').toString('latin1')).not.toContain(value);
        },
      ),
    );
  });

  it('shows at once what cannot become a value any more', () => {
    const masker = new Masker();
    masker.add('secret-value-'.repeat(20));
    let shown = '';
    const stream = masker.stream((part) => (shown += part));
    stream.write('still creating\n');
    expect(shown).toBe('still creating\n');
    stream.write('it is secret-');
    expect(shown).toBe('still creating\nit is ');
    stream.write('nothing');
    expect(shown).toBe('still creating\nit is secret-nothing');
  });

  it('hides nothing for an empty value', () => {
    const masker = new Masker();
    masker.add('');
    masker.add('\n');
    expect(masker.mask('text')).toBe('text');
  });
});
