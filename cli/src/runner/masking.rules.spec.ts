import { randomBytes } from 'node:crypto';
import fc from 'fast-check';
import { Masker } from './masking.rules.js';

const secret = fc
  .string({ unit: 'grapheme', minLength: 6, maxLength: 40 })
  .filter((text) => text.trim().length >= 6);

/** What is between lines of base64, and after how many characters it comes. */
const wrapping = fc.record({
  columns: fc.constantFrom(64, 76, Infinity),
  margin: fc.constantFrom('\n', '\r\n', '\n    '),
  before: fc.uint8Array({ maxLength: 2 }),
  after: fc.uint8Array({ maxLength: 2 }),
});
type Wrapping = typeof wrapping extends fc.Arbitrary<infer T> ? T : never;

const longSecret = fc
  .oneof(
    fc.string({ unit: 'grapheme', minLength: 8, maxLength: 200 }),
    fc.stringMatching(/^[ -~]{8,80}$/),
    // Long ones without a shrinker of each character.
    fc
      .tuple(fc.integer({ min: 8, max: 4000 }), fc.nat(255))
      .map(([length, seed]) =>
        Array.from({ length }, (_, n) =>
          String.fromCharCode(32 + ((n * n * 31 + n * seed + seed) % 95)),
        ).join(''),
      ),
  )
  .filter((text) => text.trim().length >= 8 && !text.includes('***'));

const percent = (byte: number): string => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`;
const percentEncoded = (value: string, safe: RegExp): string =>
  [...Buffer.from(value)]
    .map((byte) => (safe.test(String.fromCharCode(byte)) ? String.fromCharCode(byte) : percent(byte)))
    .join('');

function base64Of(value: string, { columns, margin, before, after }: Wrapping): string {
  const encoded = Buffer.concat([before, Buffer.from(value), after]).toString('base64');
  if (columns === Infinity) return encoded;
  return (encoded.match(new RegExp(`.{1,${columns}}`, 'g')) ?? []).join(margin);
}
/** Characters that hold bits of what stands beside the value. */
const BESIDE =
  /^[A-Za-z0-9+/_-]{0,4}={0,2}$|^(?:%[0-9a-fA-F]{2}|[A-Za-z0-9]){0,4}(?:%3D){0,2}$|^\s*[A-Za-z0-9+/_=-]{0,4}\s*[A-Za-z0-9+/_=-]{0,5}$/;

const ENCODINGS: Record<string, { encode: (value: string, wrap: Wrapping) => string; left?: RegExp }> = {
  'it is': { encode: (value) => value },
  JSON: { encode: (value) => JSON.stringify(value).slice(1, -1) },
  'JSON in JSON': { encode: (value) => JSON.stringify(JSON.stringify(value).slice(1, -1)).slice(1, -1) },
  'JSON of ASCII': {
    encode: (value) =>
      JSON.stringify(value)
        .slice(1, -1)
        .replace(
          /[\u0080-\uffff]/g,
          (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
        ),
  },
  encodeURIComponent: { encode: encodeURIComponent },
  'lower-case escapes': {
    encode: (value) => encodeURIComponent(value).replace(/%../g, (escape) => escape.toLowerCase()),
  },
  'QueryEscape of Go': { encode: (value) => percentEncoded(value, /[A-Za-z0-9_.~ -]/).replaceAll(' ', '+') },
  'quote of Python': { encode: (value) => percentEncoded(value, /[A-Za-z0-9_.~/-]/) },
  'a form': { encode: (value) => new URLSearchParams({ v: value }).toString().slice(2) },
  'escapes of every byte': { encode: (value) => percentEncoded(value, /^$/) },
  'twice encoded text': { encode: (value) => encodeURIComponent(encodeURIComponent(value)) },
  base64: { encode: base64Of, left: BESIDE },
  base64url: {
    encode: (value, wrap) =>
      base64Of(value, wrap).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', ''),
    left: BESIDE,
  },
  'base64 in a URL': {
    encode: (value, wrap) => encodeURIComponent(base64Of(value, { ...wrap, columns: Infinity })),
    left: BESIDE,
  },
};

function inChunks(masker: Masker, text: string, sizes: readonly number[]): string {
  let shown = '';
  const stream = masker.stream((part) => (shown += part));
  let at = 0;
  for (let n = 0; at < text.length; n++) {
    const size = sizes[n % sizes.length] ?? 1;
    stream.write(text.slice(at, at + size));
    at += size;
  }
  stream.end();
  expect(shown).toBe(masker.mask(text));
  return shown;
}

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

  it.each(Object.entries(ENCODINGS))(
    'hides secrets of 8 to 4000 bytes as %s, wrapped or not, in chunks with edges anywhere',
    (_, { encode, left = /^$/ }) => {
      fc.assert(
        fc.property(
          longSecret,
          wrapping,
          fc.array(fc.integer({ min: 1, max: 90 }), { minLength: 1, maxLength: 20 }),
          (value, wrap, sizes) => {
            const masker = new Masker();
            masker.add(value);
            const encoded = encode(value, wrap);
            const [, inner = '', ...none] =
              /^\u00a7 ([^]*) \u00a7$/.exec(inChunks(masker, `\u00a7 ${encoded} \u00a7`, sizes)) ?? [];
            expect(none).toEqual([]);
            expect(inner.split('***')).toEqual([expect.stringMatching(left), expect.stringMatching(left)]);
          },
        ),
        { numRuns: 40 },
      );
    },
  );

  it('hides base64 that is wrapped in the margins of other texts', () => {
    const value = 'x'.repeat(10) + randomBytes(80).toString('hex');
    const [, first = '', second = ''] = /^(.{76})(.*)$/.exec(Buffer.from(value).toString('base64')) ?? [];
    const masker = new Masker();
    masker.add(value);
    for (const margin of ['\n', '\r\n', '\n      ', ' \n  + ', '\n  - ', '\n> ', '\\n', '\\\\n', '\\r\\n'])
      expect(masker.mask(`[${first}${margin}${second}]`)).toMatch(/^\[\*{3}.?.?={0,2}\]$/);
    // Blanks within a line separate words.
    expect(masker.mask(`[${first} ${second}]`)).toBe(`[${first} ${second}]`);
  });

  it('hides the base64 of a short value as a word, and leaves other words as they are', () => {
    const masker = new Masker();
    for (const value of ['a', 'no', 'key', 'pass']) masker.add(value);
    const words = ['a', 'no', 'key', 'pass'].flatMap((value) => [
      Buffer.from(value).toString('base64'),
      Buffer.from(`${value}\n`).toString('base64'),
      Buffer.from(`${value}\n`).toString('base64url'),
    ]);
    expect(words).toContain('YQ==');
    const hidden = words.filter((word) => !/^(YQo|bm8)$/.test(word));
    for (const word of hidden)
      for (const [before, after] of [
        ['', ''],
        ['X=', '\n'],
        ['"', '",'],
        [': ', ' '],
      ] as const)
        expect(masker.mask(before + word + after)).toBe(`${before}***${after}`);
    // "cGFzcw" is "pass": a piece of another word is another word.
    for (const text of ['YQ', 'xYQ==', 'YWI=', 'a2V5x'.slice(1) + 'cGFzcwx'])
      expect(masker.mask(text)).toBe(text);
  });

  it('holds back no more than a value, and compares no character again and again', () => {
    const masker = new Masker();
    masker.add('a'.repeat(4000) + 'b');
    masker.add('\0'.repeat(3000) + 'b');
    // A line in which a value seems to begin at every character.
    const text = 'a'.repeat(600_000) + 'A'.repeat(600_000);
    let shown = '';
    const stream = masker.stream((part) => (shown += part));
    for (let at = 0; at < text.length; at += 65_536) {
      stream.write(text.slice(at, at + 65_536));
      expect(at - shown.length).toBeLessThan(10_000);
    }
    stream.end();
    expect(shown).toBe(text);
  });

  it('hides very many short values of a long text, in steps of the length of the text', () => {
    const masker = new Masker();
    masker.add('7');
    expect(masker.mask('7'.repeat(200_000))).toBe('***'.repeat(200_000));
    expect(inChunks(masker, '7 '.repeat(200_000), [65_536])).toBe('*** '.repeat(200_000));
  });

  it('remembers no more for very many texts than for one', () => {
    const masker = new Masker();
    masker.add('s'.repeat(100_000));
    const allocated: number[] = [];
    const { Float64Array: Original } = globalThis;
    globalThis.Float64Array = new Proxy(Original, {
      construct: (of, args: [number]) => {
        allocated.push(args[0]);
        return new of(...args);
      },
    });
    try {
      const texts = Array.from({ length: 1000 }, (_, n) => `text ${n}`);
      expect(masker.maskAll(texts)).toEqual(texts);
    } finally {
      globalThis.Float64Array = Original;
    }
    // One for each encoding, whatever the number of texts is.
    expect(allocated.length).toBeGreaterThan(0);
    expect(allocated.length).toBeLessThanOrEqual(4);
  });

  it('begins every text anew', () => {
    const masker = new Masker();
    masker.add('secret');
    expect(masker.mask('sec')).toBe('sec');
    expect(masker.mask('ret and secret')).toBe('ret and ***');
    masker.add('other');
    expect(masker.mask('other')).toBe('***');
  });

  it('leaves short lines of a long value, and hides short values and the lines of short ones', () => {
    const masker = new Masker();
    const credential = '{\n  "key": "abc"\n},\n[]\n  1';
    masker.add(credential);
    expect(masker.mask('a { b } c 1 }, []')).toBe('a { b } c 1 }, []');
    expect(masker.mask('["key": "abc"]')).toBe('[***]');
    for (const text of [credential, JSON.stringify(credential).slice(1, -1), encodeURIComponent(credential)])
      expect(masker.mask(`<${text}>`)).toBe('<***>');
    masker.add('12\n345\n');
    masker.add('x');
    expect(masker.mask('12 345 x')).toBe('*** *** ***');
    masker.add('abcd\n');
    expect(masker.mask('abcd')).toBe('***');
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
