import { Injectable } from '@nestjs/common';
import { type Chunk, CHUNK_KINDS, crc32Combine, inflateChunk, parseFrame } from '../../documents/index.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import { MergeImpossible } from './document-merge.js';
import type { PreparedDocument } from '../chunks/stored-documents.store.js';
import type { FrameRows } from '../publishing/version-publisher.js';

/** Says of a list of chunks what document they make, without reading the resources. */
@Injectable()
export class DocumentAssembly {
  constructor(private readonly chunks: DocumentChunks) {}

  /** Everything around the resources; the document with an empty list. */
  async frameBytes(stateId: string, hashes: readonly string[]): Promise<Buffer> {
    const kinds = await this.kindsOf(stateId, hashes);
    const frames = hashes.filter((hash) => kinds.get(hash)?.kind === CHUNK_KINDS.frame);
    const parts: Buffer[] = [];
    for await (const chunk of this.chunks.read(stateId, frames)) parts.push(inflateChunk(chunk.data));
    return Buffer.concat(parts);
  }

  /** All of them: a frame of which nothing is known would pass for resources. */
  async kindsOf(stateId: string, hashes: readonly string[]): Promise<Map<string, Chunk>> {
    const kinds = new Map((await this.chunks.describe(stateId, hashes)).map((chunk) => [chunk.hash, chunk]));
    if (hashes.some((hash) => !kinds.has(hash))) throw new Error('a chunk of a stored document is missing');
    return kinds;
  }

  /** @param fresh chunks that are not stored yet */
  async describe(
    stateId: string,
    hashes: string[],
    fresh: ReadonlyMap<string, Chunk>,
    frameBytes: Buffer,
  ): Promise<PreparedDocument & FrameRows> {
    const stored = await this.kindsOf(
      stateId,
      hashes.filter((hash) => !fresh.has(hash)),
    );
    let crc = 0;
    let size = 0;
    for (const hash of hashes) {
      const chunk = fresh.get(hash) ?? stored.get(hash);
      if (!chunk) throw new MergeImpossible('a chunk is missing');
      crc = crc32Combine(crc, chunk.crc32, chunk.size);
      size += chunk.size;
    }
    const frame = parseFrame(frameBytes);
    return { ...frame, hashes, frame: frame.index, md5: undefined, crc32: crc, size };
  }
}
