/** Every row of a list that is served in pages, a page in memory at a time. */
export async function* rowsOf<Row>(
  page: (token: string | undefined) => Promise<{ results: Row[]; next_page?: string }>,
): AsyncGenerator<Row> {
  let token: string | undefined;
  do {
    const { results, next_page } = await page(token);
    yield* results;
    token = next_page;
  } while (token !== undefined);
}

export async function collect<Row>(rows: AsyncIterable<Row>, limit = Infinity): Promise<Row[]> {
  const collected: Row[] = [];
  if (limit <= 0) return collected;
  for await (const row of rows) {
    collected.push(row);
    if (collected.length >= limit) break;
  }
  return collected;
}
