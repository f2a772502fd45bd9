import { deflateRawSync, inflateRawSync } from 'node:zlib';

/** Columns of whole numbers below 2^32 and a text, as they are stored. */
export interface PackedColumns {
  columns: Uint32Array[];
  text: Buffer;
}

/** Above this many bytes columns are stored as differences and deflated; below, reading them costs a copy only. */
const LARGE = 64 * 1024;
/** Between here and there a column passes on its way to four bytes a value. */
const NARROW = new Uint16Array(16 * 1024);
const NARROW_BYTES = bytesOf(NARROW);
const PLAIN = 0;
const DEFLATED = 1;

/**
 * Layout: one byte form, three bytes nothing, then (deflated when large) the number of columns, for each its length and
 * its width in bytes, the columns padded to four bytes each, and the text.
 */
export function packColumns({ columns, text }: PackedColumns): Buffer {
  const size = columns.reduce((sum, column) => sum + column.length * 4, text.length);
  const large = size > LARGE;
  const stored = large ? columns.map(differences) : columns;
  const head = new Uint32Array(1 + stored.length * 2);
  head[0] = stored.length;
  const bodies = stored.map((column, index) => {
    const width = widthOf(column);
    head[1 + index * 2] = column.length;
    head[2 + index * 2] = width;
    return narrowed(column, width);
  });
  const bytes = Buffer.concat([bytesOf(head), ...bodies, text]);
  const form = Buffer.from([large ? DEFLATED : PLAIN, 0, 0, 0]);
  return Buffer.concat([form, large ? deflateRawSync(bytes, { level: 3 }) : bytes]);
}

/** @param allocate gives the memory of all columns, which may hold anything: it is written over */
export function unpackColumns(
  stored: Buffer,
  allocate: (length: number) => Uint32Array = (length) => new Uint32Array(length),
): PackedColumns {
  const large = stored[0] === DEFLATED;
  const bytes = large ? inflateRawSync(stored.subarray(4)) : stored.subarray(4);
  const count = bytes.readUInt32LE(0);
  let total = 0;
  for (let index = 0; index < count; index++) total += bytes.readUInt32LE(4 + index * 8);
  // One allocation for all columns: a search reads hundreds of graphs.
  const values = allocate(total);
  const columns: Uint32Array[] = [];
  let body = 4 + count * 8;
  let used = 0;
  for (let index = 0; index < count; index++) {
    const length = bytes.readUInt32LE(4 + index * 8);
    const width = bytes.readUInt32LE(8 + index * 8);
    const column = values.subarray(used, (used += length));
    widen(bytes, body, width, column);
    if (large) sum(column);
    columns.push(column);
    body += padded(length * width);
  }
  return { columns, text: bytes.subarray(body) };
}

function padded(bytes: number): number {
  return (bytes + 3) & ~3;
}

function widthOf(column: Uint32Array): 1 | 2 | 4 {
  let all = 0;
  for (const value of column) all |= value;
  return all >>> 0 < 256 ? 1 : all >>> 0 < 65_536 ? 2 : 4;
}

function narrowed(column: Uint32Array, width: 1 | 2 | 4): Buffer {
  const values = width === 1 ? Uint8Array.from(column) : width === 2 ? Uint16Array.from(column) : column;
  const padding = padded(values.byteLength) - values.byteLength;
  return padding === 0 ? bytesOf(values) : Buffer.concat([bytesOf(values), Buffer.alloc(padding)]);
}

/** Typed arrays need their bytes aligned, and convert far quicker than a loop. */
function widen(bytes: Buffer, at: number, width: number, column: Uint32Array): void {
  const { length } = column;
  const end = at + length * width;
  if (end > bytes.length) throw new Error('the stored columns are cut off');
  if (width === 1) column.set(bytes.subarray(at, end));
  else if (width === 2) {
    for (let done = 0; done < length; done += NARROW.length) {
      const part = NARROW.subarray(0, Math.min(NARROW.length, length - done));
      bytes.copy(NARROW_BYTES, 0, at + done * 2, end);
      column.set(part, done);
    }
  } else bytes.copy(bytesOf(column), 0, at, end);
}

function bytesOf(values: Uint8Array | Uint16Array | Uint32Array): Buffer {
  return Buffer.from(values.buffer, values.byteOffset, values.byteLength);
}

/** Differences to the value before, negative ones as odd numbers, so that regular columns become small numbers. */
function differences(column: Uint32Array): Uint32Array {
  const result = new Uint32Array(column.length);
  let last = 0;
  for (let i = 0; i < column.length; i++) {
    const value = column[i] ?? 0;
    const step = (value - last) | 0;
    result[i] = (step << 1) ^ (step >> 31);
    last = value;
  }
  return result;
}

function sum(column: Uint32Array): void {
  let last = 0;
  for (let i = 0; i < column.length; i++) {
    const coded = column[i] ?? 0;
    last = (last + ((coded >>> 1) ^ -(coded & 1))) | 0;
    column[i] = last;
  }
}
