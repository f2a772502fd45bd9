/** PostgreSQL keeps neither NUL nor half of a surrogate pair, in text or in jsonb. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}

/** The same with U+FFFD in place of what cannot be kept. */
export function storableText(text: string): string {
  return isStorable(text) ? text : Buffer.from(text).toString().replaceAll('\0', '\ufffd');
}
