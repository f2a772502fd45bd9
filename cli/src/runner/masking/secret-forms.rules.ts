import { Base64Symbols, UrlSymbols, WORD_EDGE } from './symbols.rules.js';

/** What is looked for, by the symbols of each kind of encoding. */
export interface SecretForms {
  text: readonly number[][];
  url: readonly number[][];
  base64: readonly number[][];
  words: readonly number[][];
}

/** The base64 of so many bytes has at least six characters in common at every alignment; fewer hide ordinary text. */
const MIN_INNER_BASE64_BYTES = 5;
/** The base64 of fewer bytes is an ordinary word when it has no padding. */
const MIN_BARE_WORD_BYTES = 3;
/** Padding behind a character of base64, as `Base64Symbols.of('=')` spells it. */
const [PADDING = 0] = Base64Symbols.of('=');

/** A shorter line of a long value, such as `{`, says nothing of the value and stands in any text. */
const MIN_LINE_CHARACTERS = 4;

/**
 * The lines of a sensitive value that are hidden on their own, too: those of at least four characters, without the blanks
 * around them. When no line is that long, every line that is not blank.
 */
export function sensitiveLinesOf(value: string): string[] {
  const lines = value.split(/\r?\n/).filter((line) => line.trim() !== '');
  const long = lines.filter((line) => line.trim().length >= MIN_LINE_CHARACTERS);
  return long.length > 0 ? long : lines;
}

/** Forms of a sensitive value and of its sensitive lines. Empty values are not sensitive. */
export function formsOf(value: string): SecretForms {
  if (value.trim() === '') return { text: [], url: [], base64: [], words: [] };
  const parts = new Set([value, ...sensitiveLinesOf(value)].flatMap((part) => [part, part.trim()]));
  parts.delete('');
  const all = [...parts];
  return {
    text: [...new Set(all.flatMap(textFormsOf))].map(codesOf),
    url: [...new Set(all.flatMap(urlFormsOf))].map((form) => UrlSymbols.of(form)),
    base64: all.flatMap(base64FormsOf),
    words: wordFormsOf(value.trim()),
  };
}

/** As it is, and in the strings of JSON (also of JSON in JSON, and of ASCII only) and of Terraform. */
function textFormsOf(value: string): string[] {
  const quoted = quotedOf(value);
  const asGo = quoted.replace(
    /[<>&\u2028\u2029]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  const asTerraform = quoted.replace(/([$%])\{/g, '$1$1{');
  const asAscii = quoted.replace(
    /[\u0080-\uffff]/g,
    (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
  return [value, quoted, asGo, asTerraform, asAscii, quotedOf(quoted)];
}

function quotedOf(value: string): string {
  return JSON.stringify(value).slice(1, -1);
}

/** Percent encoding is undone before the comparison; what is encoded twice is still encoded once then. Lone surrogates cannot be encoded. */
function urlFormsOf(value: string): string[] {
  return [value, encodeURIComponent(Buffer.from(value).toString())];
}

/** The characters that are the same whatever stands before and behind the value. */
function base64FormsOf(value: string): number[][] {
  const bytes = Buffer.from(value);
  if (bytes.length < MIN_INNER_BASE64_BYTES) return [];
  return [0, 1, 2].map((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replace(/=+$/, '');
    const start = [0, 2, 3][offset] ?? 0;
    const end = (offset + bytes.length) % 3 === 0 ? encoded.length : encoded.length - 1;
    return Base64Symbols.of(encoded.slice(start, end));
  });
}

/** Of a short value only its own base64, with and without a line end, as a word: shorter pieces stand in any text. */
function wordFormsOf(value: string): number[][] {
  const bytes = Buffer.from(value);
  if (bytes.length === 0 || bytes.length >= MIN_INNER_BASE64_BYTES) return [];
  return [bytes, Buffer.concat([bytes, Buffer.from('\n')])].flatMap((content) => {
    const padded = Base64Symbols.of(content.toString('base64'));
    const bare = padded.filter((symbol) => symbol !== PADDING);
    const words = bare.length === padded.length ? [] : [padded];
    if (content.length >= MIN_BARE_WORD_BYTES) words.push([...bare, WORD_EDGE]);
    return words.flatMap((word) => [
      [WORD_EDGE, ...word],
      [PADDING, ...word],
    ]);
  });
}

function codesOf(text: string): number[] {
  return Array.from({ length: text.length }, (_, n) => text.charCodeAt(n));
}
