import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FrameIndex, InstanceNode } from '../../documents/index.js';
import type { ChunkSource } from './chunk-source.js';
import { chunkDifference, frameChanges, NodeChange, nodeChanges } from './document-difference.rules.js';
import { ComparableDocument } from '../chunks/document-ref.js';
import type { InstanceBatch } from './state-written.event.js';

/** Beyond this many, a version's change log says only that everything may have changed. */
export const MOST_LOGGED_CHANGES = 10_000;
const BATCH = 2000;
const BATCH_BYTES = 1024 * 1024;

/** What a new version does to the instances of the state. */
export interface ChangeSet {
  /** every stored row of the state is void, the batches bring all of them */
  reset: boolean;
  topologyChanged: boolean;
  /** undefined when there are more than MOST_LOGGED_CHANGES, or nothing to compare with */
  changes: NodeChange[] | undefined;
  batches: () => AsyncIterable<InstanceBatch>;
}

/** Everything of `next` as new, streamed chunk by chunk. `logged` receives the changes while the batches are read. */
export function completeChangeSet(
  next: ComparableDocument,
  source: ChunkSource,
  { log }: { log: boolean },
): ChangeSet {
  const isLogged = log && namesIn(next.frame) <= MOST_LOGGED_CHANGES;
  const changes = isLogged ? frameChanges({ outputs: {}, checks: {} }, next.frame) : undefined;
  const set: ChangeSet = { reset: true, topologyChanged: true, changes, batches };
  async function* batches(): AsyncGenerator<InstanceBatch> {
    for await (const { nodes, tuples } of source.contents(next.hashes)) {
      if (set.changes && set.changes.length + nodes.length > MOST_LOGGED_CHANGES) set.changes = undefined;
      for (const node of nodes)
        set.changes?.push({
          key: node.key,
          op: 'a',
          address: node.address,
          after: node,
          hashBefore: undefined,
          hash: node.hash,
        });
      yield { removed: [], changed: [], added: nodes, copy: tuples };
      await nextTurn();
    }
  }
  return set;
}

function namesIn({ outputs, checks }: FrameIndex): number {
  return Object.keys(outputs).length + Object.keys(checks).length;
}

/** What differs between two documents, looking only at the chunks that differ; undefined when one is not decomposed. */
export async function difference(
  before: ComparableDocument,
  after: ComparableDocument,
  source: ChunkSource,
): Promise<NodeChange[] | undefined> {
  const { gone, come } = chunkDifference(before.hashes, after.hashes);
  const indexes = await source.indexes([...gone, ...come]);
  const nodesOf = (hashes: readonly string[]): InstanceNode[] | undefined => {
    const nodes: InstanceNode[] = [];
    for (const hash of hashes) {
      const found = indexes.get(hash);
      if (!found) return undefined;
      nodes.push(...found);
    }
    return nodes;
  };
  const earlier = nodesOf(gone);
  const later = nodesOf(come);
  return earlier && later && [...nodeChanges(earlier, later), ...frameChanges(before.frame, after.frame)];
}

/** The difference as batches of rows. */
export function incrementalChangeSet(
  changes: NodeChange[],
  before: ComparableDocument,
  after: ComparableDocument,
  source: ChunkSource,
): ChangeSet {
  return {
    reset: false,
    topologyChanged: changes.some(changesTopology),
    changes: changes.length <= MOST_LOGGED_CHANGES ? changes : undefined,
    batches: () => batchesOf(changes, before, after, source),
  };
}

function changesTopology({ before, after }: NodeChange): boolean {
  if (!before || !after) return before !== undefined || after !== undefined;
  return (
    before.provider !== after.provider ||
    before.dependencies.length !== after.dependencies.length ||
    before.dependencies.some((name, index) => name !== after.dependencies[index])
  );
}

async function* batchesOf(
  changes: readonly NodeChange[],
  before: ComparableDocument,
  after: ComparableDocument,
  source: ChunkSource,
): AsyncGenerator<InstanceBatch> {
  const removed = changes.filter((change) => change.op === 'r').flatMap((change) => change.before ?? []);
  for (let at = 0; at < removed.length; at += BATCH) {
    yield { removed: removed.slice(at, at + BATCH), changed: [], added: [], copy: Buffer.alloc(0) };
  }
  const wanted = new Map(changes.filter((change) => change.after).map((change) => [change.key, change]));
  if (wanted.size === 0) return;
  const { come } = chunkDifference(before.hashes, after.hashes);
  let batch = new GrowingBatch();
  for await (const { nodes, tuples, tupleEnds } of source.contents(come)) {
    nodes.forEach((node, index) => {
      const change = wanted.get(node.key);
      const tuple = tuples.subarray(index === 0 ? 0 : tupleEnds[index - 1], tupleEnds[index]);
      if (change) batch.add(change.before, node, tuple);
    });
    if (batch.isFull) {
      yield batch.take();
      batch = new GrowingBatch();
    }
    await nextTurn();
  }
  if (!batch.isEmpty) yield batch.take();
}

/** Small changes of many chunks go to the database together. */
class GrowingBatch {
  private readonly batch: InstanceBatch = { removed: [], changed: [], added: [], copy: Buffer.alloc(0) };
  private readonly tuples: Buffer[] = [];
  private bytes = 0;

  add(before: InstanceNode | undefined, after: InstanceNode, tuple: Buffer): void {
    if (before) this.batch.changed.push({ before, after });
    else this.batch.added.push(after);
    this.tuples.push(tuple);
    this.bytes += tuple.length;
  }

  get isEmpty(): boolean {
    return this.tuples.length === 0;
  }

  get isFull(): boolean {
    return this.tuples.length >= BATCH || this.bytes >= BATCH_BYTES;
  }

  take(): InstanceBatch {
    return { ...this.batch, copy: Buffer.concat(this.tuples) };
  }
}
