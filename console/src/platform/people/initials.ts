const WORD = /[\p{L}\p{N}][\p{L}\p{M}\p{N}]*/gu;

/** The first letters of the first and the last word of a name, in capitals; nothing for a name without letters. */
export function initialsOf(name: string): string {
  const words = name.match(WORD) ?? [];
  const ends = words.length > 1 ? [words[0], words.at(-1)] : words;
  return ends
    .map((word) => Array.from(word ?? '')[0] ?? '')
    .join('')
    .toLocaleUpperCase('en');
}
