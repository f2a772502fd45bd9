import {
  closeSync,
  fstatSync,
  mkdirSync,
  openSync,
  readdirSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { crc32 } from 'node:zlib';

/** Key, first byte after the index, number of bytes, CRC of the bytes. */
type Entry = readonly [key: string, offset: number, length: number, checksum: number];

const MAGIC = 0x45444f43;
const HEADER_BYTES = 12;
/** Releases of Node.js, flags and folders of the program each have a file; those that were written first are deleted. */
const MAX_FILES = 8;

/**
 * Compiled code of one program in one file: magic number, length and CRC of the index, the index as JSON, then the code.
 * The code is read when it is needed. A file that is missing, damaged or cut off is an empty store.
 */
export class CodeStore {
  private readonly used = new Set<string>();

  private constructor(
    private readonly path: string,
    private readonly file: number,
    private readonly codeStart: number,
    private readonly entries: ReadonlyMap<string, Entry>,
  ) {}

  static open(path: string): CodeStore {
    let file = -1;
    try {
      file = openSync(path, 'r');
      const index = readIndex(file);
      return new CodeStore(path, file, HEADER_BYTES + index.length, entriesOf(index));
    } catch {
      if (file >= 0) closeSync(file);
      return new CodeStore(path, -1, 0, new Map());
    }
  }

  /** Undefined if there is no such code, or if its bytes are damaged. V8 itself does not check them. */
  read(key: string): Buffer | undefined {
    const entry = this.entries.get(key);
    const code = entry && this.bytesOf(entry);
    if (code) this.used.add(key);
    return code;
  }

  /** Replaces the file by the code that was read from it and by `fresh`. Other processes see the old or the new file. */
  replace(fresh: ReadonlyMap<string, Buffer>): void {
    const parts = new Map(fresh);
    for (const key of this.used) {
      const entry = this.entries.get(key);
      const code = entry && !parts.has(key) ? this.bytesOf(entry) : undefined;
      if (code) parts.set(key, code);
    }
    writeFile(this.path, parts);
    deleteOldFiles(dirname(this.path));
  }

  private bytesOf([, offset, length, checksum]: Entry): Buffer | undefined {
    const bytes = Buffer.alloc(length);
    try {
      if (readSync(this.file, bytes, 0, length, this.codeStart + offset) < length) return undefined;
    } catch {
      return undefined;
    }
    return crc32(bytes) === checksum ? bytes : undefined;
  }
}

function readIndex(file: number): Buffer {
  const header = Buffer.alloc(HEADER_BYTES);
  readSync(file, header, 0, HEADER_BYTES, 0);
  const length = header.readUInt32LE(4);
  if (header.readUInt32LE(0) !== MAGIC || HEADER_BYTES + length > fstatSync(file).size)
    throw new Error('not a store of code');
  const index = Buffer.alloc(length);
  readSync(file, index, 0, length, HEADER_BYTES);
  if (crc32(index) !== header.readUInt32LE(8)) throw new Error('the index is damaged');
  return index;
}

function entriesOf(index: Buffer): Map<string, Entry> {
  // Its CRC proves that writeFile wrote it.
  const entries = JSON.parse(index.toString('utf8')) as Entry[];
  return new Map(entries.map((entry) => [entry[0], entry]));
}

function writeFile(path: string, parts: ReadonlyMap<string, Buffer>): void {
  let offset = 0;
  const entries = [...parts].map(([key, bytes]): Entry => {
    offset += bytes.length;
    return [key, offset - bytes.length, bytes.length, crc32(bytes)];
  });
  const index = Buffer.from(JSON.stringify(entries));
  const header = Buffer.alloc(HEADER_BYTES);
  header.writeUInt32LE(MAGIC, 0);
  header.writeUInt32LE(index.length, 4);
  header.writeUInt32LE(crc32(index), 8);
  mkdirSync(dirname(path), { recursive: true });
  const draft = `${path}.${process.pid}`;
  const file = openSync(draft, 'w');
  try {
    for (const bytes of [header, index, ...parts.values()]) writeWhole(file, bytes);
  } finally {
    closeSync(file);
  }
  renameSync(draft, path);
}

/** Newer releases of Node.js have folders of their own beside these files. */
function deleteOldFiles(folder: string): void {
  const files = readdirSync(folder, { withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map(({ name }) => ({
      path: join(folder, name),
      writtenAt: statSync(join(folder, name), { throwIfNoEntry: false })?.mtimeMs ?? 0,
    }));
  files.sort((a, b) => b.writtenAt - a.writtenAt);
  for (const { path } of files.slice(MAX_FILES)) rmSync(path, { force: true });
}

/** A nearly full disk can accept a part of a buffer; the next call then throws. */
function writeWhole(file: number, bytes: Buffer): void {
  for (let written = 0; written < bytes.length;) written += writeSync(file, bytes, written);
}
