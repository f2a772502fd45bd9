const MAX_ROW_CHARS = 1_000_000;

/** Rows of CSV while it streams past: quoted fields, doubled quotes, either line end. */
export async function* csvRows(chunks: AsyncIterable<Buffer>): AsyncGenerator<string[]> {
  const decoder = new TextDecoder('utf-8');
  const reader = new RowReader();
  for await (const chunk of chunks) {
    for (const char of decoder.decode(chunk, { stream: true })) {
      const row = reader.add(char);
      if (row !== undefined) yield row;
    }
  }
  const last = reader.end();
  if (last !== undefined) yield last;
}

class RowReader {
  private row: string[] = [];
  private field = '';
  private isQuoted = false;
  /** behind a quote in a quoted field: a second quote is a character, anything else ends the quotes */
  private isClosing = false;

  /** The row that this character ends. */
  add(char: string): string[] | undefined {
    if (this.isClosing && char !== '"') this.isQuoted = this.isClosing = false;
    if (this.isQuoted) this.addQuoted(char);
    else if (char === '\n') return this.endRow();
    else this.addPlain(char);
    return undefined;
  }

  /** The row without a line end at the end of the file. */
  end(): string[] | undefined {
    if (this.isQuoted && !this.isClosing) throw new Error('CSV file is truncated: a quote is open');
    return this.field !== '' || this.row.length > 0 ? [...this.row, this.field] : undefined;
  }

  private addQuoted(char: string): void {
    if (char === '"' && !this.isClosing) {
      this.isClosing = true;
      return;
    }
    this.isClosing = false;
    this.field += char;
    // A field ends in the middle of a file only by its quote: a file whose quote stays open must not fill the memory.
    if (this.field.length > MAX_ROW_CHARS) refuseLongField();
  }

  private addPlain(char: string): void {
    if (char === '"' && this.field === '') this.isQuoted = true;
    else if (char === ',') this.endField();
    else this.field += char;
    if (this.field.length > MAX_ROW_CHARS) refuseLongField();
  }

  private endField(): void {
    this.row.push(this.field);
    this.field = '';
  }

  private endRow(): string[] {
    const row = [...this.row, this.field.endsWith('\r') ? this.field.slice(0, -1) : this.field];
    this.row = [];
    this.field = '';
    return row;
  }
}

function refuseLongField(): never {
  throw new Error('a field of the CSV file is too long: a quote may be open');
}
