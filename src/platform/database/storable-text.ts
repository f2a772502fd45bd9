/** PostgreSQL keeps neither NUL nor half of a surrogate pair, in text or in jsonb. */
export function isStorable(text: string): boolean {
  return !text.includes('\0') && !/\p{Surrogate}/u.test(text);
}
