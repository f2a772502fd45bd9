/** Most entries of one call (contract-notes.md section 3). */
const MOST_ENTRIES = 10_000;
/** Characters of one call, unless a single entry is longer. */
const MOST_CHARACTERS = 2_000_000;

/** Log entries as bodies of calls, in order. */
export function logBatches(
  entries: Iterable<unknown>,
  mostEntries = MOST_ENTRIES,
  mostCharacters = MOST_CHARACTERS,
): string[] {
  const bodies: string[] = [];
  let batch: string[] = [];
  let length = 0;
  const close = (): void => {
    if (batch.length > 0) bodies.push(`[${batch.join(',')}]`);
    batch = [];
    length = 0;
  };
  for (const entry of entries) {
    const text = JSON.stringify(entry);
    if (batch.length === mostEntries || (batch.length > 0 && length + text.length > mostCharacters)) close();
    batch.push(text);
    length += text.length;
  }
  close();
  return bodies;
}
