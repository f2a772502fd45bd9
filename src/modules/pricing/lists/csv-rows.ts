const MAX_ROW_CHARS = 1_000_000;

/** Rows of CSV while it streams past: quoted fields, doubled quotes, either line end. */
export async function* csvRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8');
  let row: string[] = [];
  let field = '';
  let quoted = false;
  let closing = false;
  for await (const chunk of chunks) {
    for (const char of decoder.decode(chunk, { stream: true })) {
      if (quoted && !closing) {
        if (char === '"') closing = true;
        else field += char;
        continue;
      }
      if (closing && char === '"') {
        field += '"';
        closing = false;
        continue;
      }
      if (closing) {
        quoted = false;
        closing = false;
      }
      if (char === '"' && field === '') quoted = true;
      else if (char === ',') {
        row.push(field);
        field = '';
      } else if (char === '\n') {
        row.push(field.endsWith('\r') ? field.slice(0, -1) : field);
        yield row;
        row = [];
        field = '';
      } else field += char;
      if (field.length > MAX_ROW_CHARS)
        throw new Error('a field of the CSV file is too long: a quote may be open');
    }
  }
  if (quoted && !closing) throw new Error('CSV file is truncated: a quote is open');
  if (field !== '' || row.length > 0) yield [...row, field];
}
