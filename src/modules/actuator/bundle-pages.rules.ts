/** A page ends when it has so many bytes; a larger entry is a page of its own. */
export const PAGE_BYTES = 8 * 1024 * 1024;

/** How many of the entries, given by their sizes, make the first page. */
export function pageLength(sizes: readonly number[], limit: number, bytes = PAGE_BYTES): number {
  let sum = 0;
  let count = 0;
  for (const size of sizes.slice(0, limit)) {
    if (count > 0 && sum + size > bytes) break;
    sum += size;
    count++;
  }
  return count;
}

/** Where pages begin. There is always one, for the state has a serial and a lineage even when nothing is to be planned. */
export function pageStarts(sizes: readonly number[], limit: number, bytes = PAGE_BYTES): number[] {
  const starts = [0];
  for (let at = 0; ;) {
    at += pageLength(sizes.slice(at, at + limit), limit, bytes);
    if (at >= sizes.length) return starts;
    starts.push(at);
  }
}
