import { inflateRawSync } from 'node:zlib';
import { Failure } from '../failure.js';

const END_OF_DIRECTORY = 0x06054b50;
const DIRECTORY_ENTRY = 0x02014b50;
const LOCAL_HEADER = 0x04034b50;
const MIN_END_BYTES = 22;
const MAX_COMMENT_BYTES = 65_535;
const STORED = 0;
const DEFLATED = 8;

/** The bytes of one file of a zip archive, by its name. Archives of engines are small and neither encrypted nor split. */
export function zipEntry(archive: Buffer, name: string): Buffer {
  const end = endOfDirectory(archive);
  let at = archive.readUInt32LE(end + 16);
  for (let left = archive.readUInt16LE(end + 10); left > 0; left--) {
    if (archive.readUInt32LE(at) !== DIRECTORY_ENTRY) throw damaged();
    const [nameLength, extraLength, commentLength] = [28, 30, 32].map((offset) =>
      archive.readUInt16LE(at + offset),
    ) as [number, number, number];
    if (archive.toString('utf8', at + 46, at + 46 + nameLength) === name) return entryAt(archive, at);
    at += 46 + nameLength + extraLength + commentLength;
  }
  throw new Failure('ENGINE_ARCHIVE', `the archive has no file ${name}`);
}

function entryAt(archive: Buffer, directoryEntry: number): Buffer {
  const method = archive.readUInt16LE(directoryEntry + 10);
  const size = archive.readUInt32LE(directoryEntry + 20);
  const header = archive.readUInt32LE(directoryEntry + 42);
  if (archive.readUInt32LE(header) !== LOCAL_HEADER) throw damaged();
  const start = header + 30 + archive.readUInt16LE(header + 26) + archive.readUInt16LE(header + 28);
  const bytes = archive.subarray(start, start + size);
  if (method === STORED) return bytes;
  if (method !== DEFLATED) throw damaged();
  return inflateRawSync(bytes);
}

function endOfDirectory(archive: Buffer): number {
  const first = Math.max(0, archive.length - MIN_END_BYTES - MAX_COMMENT_BYTES);
  for (let at = archive.length - MIN_END_BYTES; at >= first; at--)
    if (archive.readUInt32LE(at) === END_OF_DIRECTORY) return at;
  throw damaged();
}

function damaged(): Failure {
  return new Failure('ENGINE_ARCHIVE', 'the archive of the engine is not a readable zip file');
}
