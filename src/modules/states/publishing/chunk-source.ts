import {
  ChunkSpool,
  inflateChunk,
  inflateIndex,
  InstanceNode,
  ParsedChunk,
  Owner,
  parseChunk,
} from '../../documents/index.js';
import type { WantedInstances } from '../chunks/chunk-signature.rules.js';
import type { DocumentChunks } from '../chunks/document-chunks.store.js';

/** The instances of one chunk, and their tuples when they were asked for. */
export interface ChunkContent {
  nodes: InstanceNode[];
  tuples: Buffer;
  tupleEnds: Uint32Array;
}

/** Where the content of a document's chunks comes from: this write's new chunks, or what is stored. */
export class ChunkSource {
  constructor(
    private readonly chunks: DocumentChunks,
    private readonly owner: Owner,
    private readonly spool: ChunkSpool | undefined,
    private readonly fresh: ReadonlyMap<string, ParsedChunk> = new Map(),
  ) {}

  /** Instances by chunk; a chunk that could not be decomposed is missing. */
  async indexes(hashes: readonly string[]): Promise<Map<string, InstanceNode[]>> {
    const found = new Map<string, InstanceNode[]>();
    const stored: string[] = [];
    for (const hash of hashes) {
      const nodes = this.fresh.get(hash)?.nodes;
      const index = this.spool?.nodeIndexOf(hash);
      if (nodes) found.set(hash, nodes);
      else if (index) found.set(hash, inflateIndex(index));
      else stored.push(hash);
    }
    for (const [hash, nodes] of await this.chunks.indexes(this.owner.stateId, stored)) found.set(hash, nodes);
    return found;
  }

  /** The same of the stored chunks that may hold what is wanted. */
  async indexesHolding(
    hashes: readonly string[],
    wanted: WantedInstances,
  ): Promise<Map<string, InstanceNode[]>> {
    return this.chunks.indexesHolding(this.owner.stateId, hashes, wanted);
  }

  /** Chunks with tuples, in order, one at a time: a large document is never held as a whole. */
  async *contents(hashes: readonly string[]): AsyncGenerator<ChunkContent & { hash: string }> {
    for (const hash of hashes) {
      const fresh = this.fresh.get(hash);
      if (fresh) {
        const { nodes, tuples, tupleEnds } = fresh;
        if (nodes.length > 0) yield { hash, nodes, tuples, tupleEnds };
        continue;
      }
      const chunk = await this.spool?.get(hash);
      if (chunk) {
        if (chunk.nodeIndex)
          yield {
            hash,
            nodes: inflateIndex(chunk.nodeIndex),
            tuples: chunk.tuples,
            tupleEnds: chunk.tupleEnds,
          };
        continue;
      }
      for await (const stored of this.chunks.read(this.owner.stateId, [hash])) {
        if (stored.kind === 0) continue;
        yield { hash, ...parseChunk(inflateChunk(stored.data), stored.context, stored.kind, this.owner) };
      }
    }
  }
}
