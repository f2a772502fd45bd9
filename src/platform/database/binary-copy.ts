const HEADER_BYTES = 19;
const COUNT_BYTES = 2;
const LENGTH_BYTES = 4;
/** In place of a row's number of fields, and of a field's length. */
const [END, NULL] = [-1, -1];

/**
 * Reads the rows of `COPY … TO STDOUT (FORMAT binary)` while they arrive: the raw bytes of each field, null for NULL. Fields
 * lie in the parts they came in; only what is split between parts is put together.
 */
export class BinaryCopyReader {
  readonly rows: (Buffer | null)[][] = [];
  private reading: 'header' | 'count' | 'length' | 'field' | 'end' = 'header';
  private wanted = HEADER_BYTES;
  /** of the piece that is being read, what earlier parts had of it */
  private begun: Buffer | undefined;
  private filled = 0;
  private row: (Buffer | null)[] = [];
  private fields = 0;

  feed(part: Buffer): void {
    for (let at = 0; at < part.length && this.reading !== 'end';) {
      const end = Math.min(part.length, at + this.wanted - this.filled);
      const isWhole = this.filled + end - at === this.wanted;
      if (isWhole && !this.begun) this.take(part, at, end);
      else this.put(part, at, end, { isLast: isWhole });
      at = end;
    }
  }

  private put(part: Buffer, from: number, to: number, { isLast }: { isLast: boolean }): void {
    this.begun ??= Buffer.allocUnsafe(this.wanted);
    this.filled += part.copy(this.begun, this.filled, from, to);
    if (!isLast) return;
    const { begun } = this;
    this.begun = undefined;
    this.filled = 0;
    this.take(begun, 0, begun.length);
  }

  /** Only fields become buffers: one for each count and length would be garbage by the thousand. */
  private take(bytes: Buffer, from: number, to: number): void {
    if (this.reading === 'header') this.want('count', COUNT_BYTES);
    else if (this.reading === 'count') this.beginRow(bytes.readInt16BE(from));
    else if (this.reading === 'length') this.beginField(bytes.readInt32BE(from));
    else this.add(bytes.subarray(from, to));
  }

  private beginRow(fields: number): void {
    if (fields === END) return this.want('end', 0);
    this.row = [];
    this.fields = fields;
    this.want('length', LENGTH_BYTES);
  }

  private beginField(length: number): void {
    if (length === NULL) this.add(null);
    else if (length === 0) this.add(Buffer.alloc(0));
    else this.want('field', length);
  }

  private add(field: Buffer | null): void {
    this.row.push(field);
    if (this.row.length < this.fields) return this.want('length', LENGTH_BYTES);
    this.rows.push(this.row);
    this.want('count', COUNT_BYTES);
  }

  private want(what: typeof this.reading, bytes: number): void {
    this.reading = what;
    this.wanted = bytes;
  }
}

const SIGNATURE = Buffer.concat([Buffer.from('PGCOPY\n\xff\r\n\0', 'latin1'), Buffer.alloc(8)]);
const TRAILER = Buffer.from([0xff, 0xff]);

/** Tuples between the header and the trailer of the binary form. */
export async function* framed(tuples: Iterable<Buffer> | AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
  yield SIGNATURE;
  yield* tuples;
  yield TRAILER;
}
