import { type Slice, TemporaryFile } from '../../platform/files/index.js';
import type { NewChunk, StorableChunk } from './document-reader.js';

const IN_MEMORY = 24 * 1024 * 1024;

interface Spooled extends Omit<StorableChunk, 'data'> {
  tupleEnds: Uint32Array;
  data: Buffer | Slice;
  tuples: Buffer | Slice;
}

/** Keeps the new chunks of one document until its write commits: in memory, and beyond 24 MiB in a temporary file. */
export class ChunkSpool {
  private readonly chunks = new Map<string, Spooled>();
  private file: TemporaryFile | undefined;
  private held = 0;
  private last: Promise<void> = Promise.resolve();

  /** Chunks are added in order; the promise is kept and awaited by `settle`. */
  add(chunk: NewChunk): void {
    this.last = this.last.then(() => this.store(chunk));
    this.last.catch(() => undefined);
  }

  async settle(): Promise<void> {
    await this.last;
  }

  has(hash: string): boolean {
    return this.chunks.has(hash);
  }

  hashes(): string[] {
    return [...this.chunks.keys()];
  }

  nodeIndexOf(hash: string): Buffer | undefined {
    return this.chunks.get(hash)?.nodeIndex;
  }

  /** What is stored of a chunk, without the tuples of its instances. */
  async stored(hash: string): Promise<StorableChunk | undefined> {
    const chunk = this.chunks.get(hash);
    return chunk && { ...chunk, data: await this.read(chunk.data) };
  }

  async get(hash: string): Promise<NewChunk | undefined> {
    const chunk = this.chunks.get(hash);
    if (!chunk) return undefined;
    const { data, tuples, ...rest } = chunk;
    return { ...rest, data: await this.read(data), tuples: await this.read(tuples) };
  }

  async dispose(): Promise<void> {
    await this.last.catch(() => undefined);
    this.chunks.clear();
    await this.file?.close();
    this.file = undefined;
  }

  private async store(chunk: NewChunk): Promise<void> {
    const asBuffer = (bytes: Uint8Array) => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const optional = (bytes: Uint8Array | undefined) => bytes && asBuffer(bytes);
    const small = { ...chunk, context: optional(chunk.context), nodeIndex: optional(chunk.nodeIndex) };
    const size = chunk.data.length + chunk.tuples.length;
    if (this.held + size <= IN_MEMORY) {
      this.held += size;
      this.chunks.set(chunk.hash, { ...small, data: asBuffer(chunk.data), tuples: asBuffer(chunk.tuples) });
    } else {
      this.chunks.set(chunk.hash, {
        ...small,
        data: await this.write(chunk.data),
        tuples: await this.write(chunk.tuples),
      });
    }
  }

  private async write(bytes: Uint8Array): Promise<Slice> {
    this.file ??= await TemporaryFile.create();
    return this.file.append(bytes);
  }

  private async read(part: Buffer | Slice): Promise<Buffer> {
    if (Buffer.isBuffer(part)) return part;
    if (!this.file) throw new Error('the chunks were given up');
    return this.file.read(part);
  }
}
