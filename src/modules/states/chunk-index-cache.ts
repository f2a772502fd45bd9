import type { Chunk, InstanceNode } from '../documents/index.js';

/** About half a kilobyte each. */
const MOST_NODES = 50_000;

/**
 * The instances that chunks list, least recently used first to go. A chunk never changes, so an entry is never wrong; of a
 * deleted state nobody asks any more.
 */
export class ChunkIndexCache {
  private readonly entries = new Map<string, InstanceNode[]>();
  private nodes = 0;

  find(stateId: string, hash: string): InstanceNode[] | undefined {
    const key = stateId + hash;
    const found = this.entries.get(key);
    if (!found) return undefined;
    this.entries.delete(key);
    this.entries.set(key, found);
    return found;
  }

  keep(stateId: string, hash: string, nodes: InstanceNode[]): void {
    const key = stateId + hash;
    if (this.entries.has(key)) return;
    this.entries.set(key, nodes);
    this.nodes += nodes.length + 1;
    for (const [oldest, dropped] of this.entries) {
      if (this.nodes <= MOST_NODES) break;
      this.entries.delete(oldest);
      this.nodes -= dropped.length + 1;
    }
  }
}

/** A hundred bytes each. */
const MOST_CHUNKS = 50_000;

/** Kind, size and CRC of chunks; the same holds of them. */
export class ChunkDescriptions {
  private readonly entries = new Map<string, Chunk>();

  find(stateId: string, hash: string): Chunk | undefined {
    return this.entries.get(stateId + hash);
  }

  keep(stateId: string, chunk: Chunk): void {
    this.entries.set(stateId + chunk.hash, chunk);
    if (this.entries.size <= MOST_CHUNKS) return;
    const [oldest] = this.entries.keys();
    if (oldest !== undefined) this.entries.delete(oldest);
  }
}
