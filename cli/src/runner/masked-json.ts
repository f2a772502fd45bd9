import { HeldText } from './held-text.js';
import { KeptOutput } from './kept-output.js';
import type { Masker } from './masking.rules.js';

const PIECE_CHARACTERS = 64 * 1024;

/** Adds a text to JSON, without the quotes. Halves of a surrogate pair are escaped, and so a pair again behind each other. */
export function addJsonText(json: HeldText, text: string): void {
  json.add(JSON.stringify(text).slice(1, -1));
}

/**
 * The JSON of a value with its texts masked, as bytes: a text of many megabytes is never copied as a whole. Kept output
 * becomes a text.
 */
export function maskedJson(value: unknown, masker: Masker): Buffer<ArrayBuffer>[] {
  const json = new HeldText();
  addMasked(json, value, masker);
  return json.parts();
}

/** `{"<name>":[…]}` */
export function listJson(name: string, items: readonly (readonly Buffer[])[]): Buffer<ArrayBuffer> {
  const separated = items.flatMap((parts, n) => (n === 0 ? parts : [Buffer.from(','), ...parts]));
  return Buffer.concat([Buffer.from(`{${JSON.stringify(name)}:[`), ...separated, Buffer.from(']}')]);
}

function addMasked(json: HeldText, value: unknown, masker: Masker): void {
  if (typeof value === 'string') addMaskedText(json, piecesOf(value), masker);
  else if (value instanceof KeptOutput) addMaskedText(json, value.pieces(), masker);
  else if (Array.isArray(value)) addList(json, '[]', value, (item) => addMasked(json, item ?? null, masker));
  else if (typeof value === 'object' && value !== null)
    addList(
      json,
      '{}',
      Object.entries(value).filter(([, member]) => member !== undefined),
      ([name, member]) => {
        addMaskedText(json, [name], masker);
        json.add(':');
        addMasked(json, member, masker);
      },
    );
  else json.add(JSON.stringify(value ?? null));
}

function addMaskedText(json: HeldText, pieces: Iterable<string>, masker: Masker): void {
  json.add('"');
  const masked = masker.stream((part) => addJsonText(json, part));
  for (const piece of pieces) masked.write(piece);
  masked.end();
  json.add('"');
}

function addList<T>(json: HeldText, [begin, end]: string, items: readonly T[], add: (item: T) => void): void {
  json.add(begin ?? '');
  for (const [n, item] of items.entries()) {
    if (n > 0) json.add(',');
    add(item);
  }
  json.add(end ?? '');
}

function* piecesOf(text: string): Generator<string> {
  for (let at = 0; at < text.length; at += PIECE_CHARACTERS) yield text.slice(at, at + PIECE_CHARACTERS);
}
