import type { Chunk, InstanceNode } from '../documents/index.js';

/** What a chunk row holds of its document. */
export interface StoredChunk {
  hash: string;
  kind: number;
  size: number;
  crc32: number;
  context: Buffer | undefined;
  data: Buffer;
}

/**
 * What is known of chunks, up to a total weight, least recently used first to go. A chunk never changes, so an entry is
 * never wrong; of a deleted state nobody asks any more.
 */
export class RecentChunks<T> {
  private readonly entries = new Map<string, T>();
  private weight = 0;

  constructor(
    private readonly most: number,
    private readonly weigh: (value: T) => number,
  ) {}

  find(stateId: string, hash: string): T | undefined {
    const key = stateId + hash;
    const found = this.entries.get(key);
    if (found === undefined) return undefined;
    this.entries.delete(key);
    this.entries.set(key, found);
    return found;
  }

  keep(stateId: string, hash: string, value: T): void {
    const key = stateId + hash;
    if (this.entries.has(key)) return;
    this.entries.set(key, value);
    this.weight += this.weigh(value);
    for (const [oldest, dropped] of this.entries) {
      if (this.weight <= this.most) break;
      this.entries.delete(oldest);
      this.weight -= this.weigh(dropped);
    }
  }
}

/** The instances that chunks list: about half a kilobyte each. */
export function recentIndexes(): RecentChunks<InstanceNode[]> {
  return new RecentChunks(50_000, (nodes) => nodes.length + 1);
}

/** Kind, size and CRC of chunks: a hundred bytes each. */
export function recentDescriptions(): RecentChunks<Chunk> {
  return new RecentChunks(50_000, () => 1);
}

/** The bytes of chunks as they are stored: each document is read for the plan and again for the apply. */
export function recentBytes(): RecentChunks<StoredChunk> {
  return new RecentChunks(
    32 * 1024 * 1024,
    (chunk) => chunk.data.length + (chunk.context?.length ?? 0) + 256,
  );
}
