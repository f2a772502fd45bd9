import type { Chunk, InstanceNode } from '../../documents/index.js';
import type { ChunkSignature } from './chunk-signature.rules.js';

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
 * What is known of chunks, up to a total weight. Whatever was not asked for while half of that weight came is forgotten:
 * looking something up changes nothing, and a commit looks up every chunk of its document. A chunk never changes, so an
 * entry is never wrong; of a deleted state nobody asks any more.
 */
export class RecentChunks<T> {
  private young = new Generation<T>();
  private old = new Generation<T>();

  constructor(
    private readonly most: number,
    private readonly weigh: (value: T) => number,
  ) {}

  find(stateId: string, hash: string): T | undefined {
    const found = this.young.find(stateId, hash);
    if (found !== undefined) return found;
    const former = this.old.find(stateId, hash);
    if (former !== undefined) this.store(stateId, hash, former);
    return former;
  }

  store(stateId: string, hash: string, value: T): void {
    const weight = this.weigh(value);
    if (weight > this.most / 2 || this.young.find(stateId, hash) !== undefined) return;
    if (this.young.weight + weight > this.most / 2) {
      this.old = this.young;
      this.young = new Generation();
    }
    this.young.add(stateId, hash, value, weight);
  }
}

class Generation<T> {
  weight = 0;
  private readonly states = new Map<string, Map<string, T>>();

  find(stateId: string, hash: string): T | undefined {
    return this.states.get(stateId)?.get(hash);
  }

  add(stateId: string, hash: string, value: T, weight: number): void {
    let entries = this.states.get(stateId);
    if (!entries) this.states.set(stateId, (entries = new Map<string, T>()));
    entries.set(hash, value);
    this.weight += weight;
  }
}

/** The instances that chunks list: about half a kilobyte each. */
export function recentIndexes(): RecentChunks<InstanceNode[]> {
  return new RecentChunks(50_000, (nodes) => nodes.length + 1);
}

/** What chunks list in short: 32 MB of numbers at most, and at least those of a million instances. */
export function recentSignatures(): RecentChunks<ChunkSignature> {
  return new RecentChunks(8_000_000, (signature) => signature.size + 50);
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
