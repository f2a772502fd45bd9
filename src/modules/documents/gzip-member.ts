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

/** x^0 as a polynomial over GF(2), reflected: the highest bit is the lowest power. */
const ONE = 0x80000000;
const POLYNOMIAL = 0xedb88320;

/** x^(2^n) modulo the CRC polynomial, for n up to the bits of the longest document. */
const POWERS: readonly number[] = (() => {
  const powers = [ONE >>> 1];
  for (let n = 1; n < 56; n++) powers.push(multiplied(powers[n - 1] as number, powers[n - 1] as number));
  return powers;
})();

/** CRC-32 of A followed by B from both CRCs and B's length in bytes: A's times x^(8 * length), plus B's. */
export function crc32Combine(first: number, second: number, secondLength: number): number {
  let shift = ONE;
  for (let rest = secondLength, n = 3; rest > 0; rest = Math.floor(rest / 2), n++)
    if (rest % 2 === 1) shift = multiplied(POWERS[n] as number, shift);
  return (multiplied(shift, first) ^ second) >>> 0;
}

/** Product modulo the CRC polynomial. */
function multiplied(a: number, b: number): number {
  let product = 0;
  let shifted = b | 0;
  for (let bits = a | 0; bits !== 0; bits <<= 1) {
    if (bits < 0) product ^= shifted;
    shifted = (shifted >>> 1) ^ (shifted & 1 ? POLYNOMIAL : 0);
  }
  return product >>> 0;
}
