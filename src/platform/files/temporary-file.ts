import { type FileHandle, mkdtemp, open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Readable } from 'node:stream';

const READ_AT_ONCE = 256 * 1024;

/** Where bytes stand in the file. */
export interface Slice {
  at: number;
  length: number;
}

/**
 * Bytes that are too many for memory. The file is gone from its folder before anything is in it: neither an error nor
 * a process that is killed leaves it behind.
 */
export class TemporaryFile {
  private size = 0;

  private constructor(private readonly file: FileHandle) {}

  static async create(): Promise<TemporaryFile> {
    const folder = await mkdtemp(join(tmpdir(), 'infrastructure-state-'));
    try {
      return new TemporaryFile(await open(join(folder, 'bytes'), 'wx+', 0o600));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }

  /** One call at a time. */
  async append(bytes: Uint8Array): Promise<Slice> {
    const at = this.size;
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.file.write(bytes, done, bytes.length - done, at + done);
      done += bytesWritten;
    }
    this.size += bytes.length;
    return { at, length: bytes.length };
  }

  /** The same of many parts, which are not put together in memory first. */
  async appendAll(parts: readonly Uint8Array[]): Promise<void> {
    const { bytesWritten } = await this.file.writev(parts, this.size);
    this.size += bytesWritten;
    if (bytesWritten < parts.reduce((sum, part) => sum + part.length, 0))
      await this.append(Buffer.concat(parts).subarray(bytesWritten));
  }

  async read({ at, length }: Slice): Promise<Buffer> {
    const bytes = Buffer.allocUnsafe(length);
    for (let done = 0; done < length;) {
      const { bytesRead } = await this.file.read(bytes, done, length - done, at + done);
      if (bytesRead === 0) throw new Error('a temporary file is shorter than what was written');
      done += bytesRead;
    }
    return bytes;
  }

  /** All of it from the beginning, a piece at a time. */
  stream(): Readable {
    return this.file.createReadStream({ start: 0, autoClose: false, highWaterMark: READ_AT_ONCE });
  }

  async close(): Promise<void> {
    await this.file.close();
  }
}
