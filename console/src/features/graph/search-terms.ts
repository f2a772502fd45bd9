/** Keys of the instance search. */
export const SEARCH_KEYS = [
  'address:',
  'type:',
  'module:',
  'provider:',
  'resource_address:',
  'attr:',
] as const;

/** A value of a search term that matches exactly this text. */
export function quoted(text: string): string {
  return `"${text.replace(/["\\]/g, (sign) => `\\${sign}`)}"`;
}

/** The search that finds exactly one address. */
export function exactAddress(address: string): string {
  return `address:${quoted(address)}`;
}

/** What is asked of the service: a word without a key is part of an address. */
export function searchOf(typed: string): string | undefined {
  const text = typed.trim();
  if (text === '') return undefined;
  return /[:"\\]/.test(text)
    ? text
    : text
        .split(/\s+/)
        .map((word) => `address:*${word}*`)
        .join(' ');
}

/** Whole texts that complete the last term: keys first, then values of `type`. */
export function completions(typed: string, types: readonly string[]): string[] {
  const start = typed.slice(0, typed.lastIndexOf(' ') + 1);
  const term = typed.slice(start.length);
  const [, value] = /^type:(.*)$/.exec(term) ?? [];
  const found =
    value === undefined
      ? SEARCH_KEYS.filter((key) => key.startsWith(term) && key !== term)
      : types.filter((type) => type.includes(value) && type !== value).map((type) => `type:${type}`);
  return found.slice(0, 12).map((one) => start + one);
}
