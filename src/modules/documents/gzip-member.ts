/** Header of a gzip member: deflate, no name, no time, unknown system (RFC 1952). */
export const GZIP_HEADER = Buffer.from([0x1f, 0x8b, 0x08, 0, 0, 0, 0, 0, 0, 0xff]);
/** An empty final block with fixed codes, which ends the concatenated deflate chunks. */
export const DEFLATE_END = Buffer.from([0x03, 0x00]);

/** End of a gzip member: CRC-32 and size modulo 2^32 of what it inflates to. */
export function gzipTrailer(crc: number, size: number): Buffer {
  const trailer = Buffer.allocUnsafe(8);
  trailer.writeUInt32LE(crc >>> 0, 0);
  trailer.writeUInt32LE(size % 2 ** 32, 4);
  return trailer;
}

/** CRC-32 of A followed by B from both CRCs and B's length, by squaring the zero-byte operator (as in zlib). */
export function crc32Combine(first: number, second: number, secondLength: number): number {
  let odd = new Uint32Array(32);
  odd[0] = 0xedb88320;
  for (let n = 1; n < 32; n++) odd[n] = 2 ** (n - 1);
  let even = square(odd);
  odd = square(even);
  let crc = first >>> 0;
  for (let rest = secondLength; rest > 0;) {
    even = square(odd);
    if (rest % 2 === 1) crc = times(even, crc);
    rest = Math.floor(rest / 2);
    if (rest === 0) break;
    odd = square(even);
    if (rest % 2 === 1) crc = times(odd, crc);
    rest = Math.floor(rest / 2);
  }
  return (crc ^ second) >>> 0;
}

function times(matrix: Uint32Array, vector: number): number {
  let sum = 0;
  for (let bits = vector >>> 0, n = 0; bits !== 0; bits >>>= 1, n++) if (bits & 1) sum ^= matrix[n] as number;
  return sum >>> 0;
}

function square(matrix: Uint32Array): Uint32Array<ArrayBuffer> {
  return matrix.map((row) => times(matrix, row));
}
