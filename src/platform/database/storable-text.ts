/** Looked for first: a text without one takes a fraction of the time of the other expression. */
const SURROGATE_UNIT = /[\ud800-\udfff]/;

/** PostgreSQL keeps neither NUL nor half of a surrogate pair, in text or in jsonb. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !(SURROGATE_UNIT.test(text) && /\p{Surrogate}/u.test(text));
}

/** The same with U+FFFD in place of what cannot be kept. */
export function storableText(text: string): string {
  return isStorable(text) ? text : Buffer.from(text).toString().replaceAll('\0', '\ufffd');
}
