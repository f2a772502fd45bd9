import { constants, crc32, deflateRawSync, gunzipSync } from 'node:zlib';
import * as fc from 'fast-check';
import { crc32Combine, DEFLATE_END, GZIP_HEADER, gzipTrailer } from './gzip-member.js';

const bytes = fc.uint8Array({ maxLength: 300 }).map((array) => Buffer.from(array));

describe('Putting gzip members together', () => {
  it('combines checksums as if the bytes had been read in one piece', () => {
    fc.assert(
      fc.property(bytes, bytes, fc.nat({ max: 5000 }), (first, tail, zeros) => {
        const second = Buffer.concat([tail, Buffer.alloc(zeros, 7)]);
        expect(crc32Combine(crc32(first), crc32(second), second.length)).toBe(
          crc32(Buffer.concat([first, second])),
        );
      }),
    );
  });

  it('combines checksums of runs beyond 4 GiB', () => {
    const length = 2 ** 33 + 12345;
    // Appending in two steps or in one is the same.
    const half = 2 ** 32;
    const stepwise = crc32Combine(crc32Combine(0x12345678, 0, half), 0, length - half);
    expect(crc32Combine(0x12345678, 0, length)).toBe(stepwise);
  });

  it('makes one member of chunks that were deflated apart', () => {
    fc.assert(
      fc.property(fc.array(bytes, { maxLength: 6 }), (parts) => {
        const whole = Buffer.concat(parts);
        const deflated = parts.map((part) =>
          deflateRawSync(part, { level: 1, finishFlush: constants.Z_SYNC_FLUSH }),
        );
        const crc = parts.reduce((sum, part) => crc32Combine(sum, crc32(part), part.length), 0);
        expect(
          gunzipSync(
            Buffer.concat([GZIP_HEADER, ...deflated, DEFLATE_END, gzipTrailer(crc, whole.length)]),
          ).equals(whole),
        ).toBe(true);
      }),
    );
  });
});
