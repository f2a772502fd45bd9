const HEADER_BYTES = 19;

/** Rows of a whole `COPY … TO STDOUT (FORMAT binary)`: the raw bytes of each field, null for NULL. */
export function parseBinaryCopy(bytes: Buffer): (Buffer | null)[][] {
  const rows: (Buffer | null)[][] = [];
  let at = HEADER_BYTES;
  for (;;) {
    const fields = bytes.readInt16BE(at);
    at += 2;
    if (fields === -1) return rows;
    const row: (Buffer | null)[] = [];
    for (let i = 0; i < fields; i++) {
      const length = bytes.readInt32BE(at);
      at += 4;
      if (length === -1) row.push(null);
      else row.push(bytes.subarray(at, (at += length)));
    }
    rows.push(row);
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
