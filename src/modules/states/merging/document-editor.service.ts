import { Injectable } from '@nestjs/common';
import {
  CHUNK_KINDS,
  chunkOf,
  editFrame,
  type FrameEdit,
  inflateChunk,
  type InstanceNode,
  joinResources,
  type ParsedChunk,
  type ResourceText,
  splitResources,
  topLevelMembers,
} from '../../documents/index.js';
import { ChunkSource } from '../publishing/chunk-source.js';
import { DocumentAssembly } from './document-assembly.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import type { StoredChunk } from '../chunks/recent-chunks.js';
import type { ComparableDocument } from '../chunks/document-ref.js';
import { applyEdits, EditableRun, InstanceEdit, MergeImpossible } from './document-merge.js';
import { emptyDocument } from '../chunks/document-reading.service.js';
import type { StateEntity } from '../entities/state.entity.js';
import { PreparedDocument } from '../chunks/stored-documents.store.js';
import type { FrameRows } from '../publishing/version-publisher.js';

/** What is to become different in a document. */
export interface DocumentEdit {
  instances: readonly InstanceEdit[];
  frame: FrameEdit;
  /** chunks beside which resources that are new belong; the last ones of the document otherwise */
  near?: readonly string[];
  /** see EditOptions */
  refusesMixedHeaders?: boolean;
}

interface LoadedRun extends EditableRun {
  chunk: StoredChunk;
  trailingComma: boolean;
}

export interface MergedDocument {
  document: PreparedDocument & FrameRows;
  /** chunks that are not stored yet, by hash */
  fresh: Map<string, ParsedChunk>;
}

/**
 * A tenth of what the cutter puts into one (docs/adr/0003). What was edited is likely to be edited again, and an edit costs
 * as much as the chunks it touches; the client's next write of the whole document makes large ones of them.
 */
const CHUNK_BYTES = 32 * 1024;

/** Makes the next document out of the current one, rewriting only the chunks that an edit touches. */
@Injectable()
export class DocumentEditor {
  constructor(
    private readonly chunks: DocumentChunks,
    private readonly assembly: DocumentAssembly,
  ) {}

  /** Throws MergeImpossible when the edits do not fit into the chunks as they are cut. */
  async edit(
    state: StateEntity,
    current: ComparableDocument,
    edit: DocumentEdit,
    source: ChunkSource,
  ): Promise<MergedDocument> {
    const owner = { stateId: state.id, tenantId: state.tenantId };
    const indexes = await source.indexesHolding(current.hashes, wantedFor(edit));
    const runs = edit.instances.length > 0 ? await this.runsFor(state.id, current, edit, indexes) : [];
    applyEdits(runs, edit.instances, {
      known: listedOf(edit.instances, indexes),
      refusesMixedHeaders: edit.refusesMixedHeaders ?? false,
    });
    await this.endListAfter(state.id, current, runs);
    const fresh = new Map<string, ParsedChunk>();
    const add: AddChunk = (bytes, kind, context, open) => {
      const chunk = chunkOf({ kind, bytes, open, ...(context ? { context } : {}) }, owner);
      fresh.set(chunk.hash, chunk);
      return chunk.hash;
    };
    const replaced = new Map<string, string[]>();
    for (const run of runs.filter((candidate) => candidate.touched))
      replaced.set(run.chunk.hash, chunksOf(run, add));
    const middle = await this.middleOf(state.id, current, replaced, add);
    const frame = editFrame(await this.members(state, current), edit.frame);
    const hashes = [
      add(frame.head, 'frame', undefined, false),
      ...middle,
      add(frame.tail, 'frame', undefined, false),
    ];
    const bytes = Buffer.concat([frame.head, frame.tail]);
    return { document: await this.assembly.describe(state.id, hashes, fresh, bytes), fresh };
  }

  /** What stands around the resources of the current document, which is empty before the first write. */
  async members(state: StateEntity, current: ComparableDocument): Promise<Map<string, string>> {
    return topLevelMembers(
      state.version === 0 ? emptyDocument(state) : await this.assembly.frameBytes(state.id, current.hashes),
    );
  }

  /** The chunks of the current document in which the changed instances stand or belong. */
  private async runsFor(
    stateId: string,
    current: ComparableDocument,
    edit: DocumentEdit,
    indexes: ReadonlyMap<string, readonly InstanceNode[]>,
  ): Promise<LoadedRun[]> {
    const { keys, resources } = wantedFor(edit);
    const { near } = edit;
    const holding = current.hashes.filter((hash) =>
      indexes.get(hash)?.some((node) => keys.has(node.key) || resources.has(node.resourceAddress)),
    );
    // Also a run of resources without any instance is one, and what follows it needs its comma.
    const kinds = await this.assembly.kindsOf(stateId, current.hashes);
    const listed = current.hashes.filter((hash) => kinds.get(hash)?.kind !== CHUNK_KINDS.frame);
    const beside = near?.filter((hash) => listed.includes(hash)).at(-1) ?? listed.at(-1);
    const hashes = [...new Set([...holding, ...(beside === undefined ? [] : [beside])])];
    const runs: LoadedRun[] = [];
    for await (const chunk of this.chunks.read(stateId, hashes)) {
      const bytes = inflateChunk(chunk.data);
      runs.push({
        chunk,
        resources: splitResources(bytes, chunk.context),
        touched: false,
        trailingComma: endsWithComma(bytes),
      });
    }
    if (runs.length > 0) return runs;
    const empty = {
      hash: '',
      kind: CHUNK_KINDS.resources,
      size: 0,
      crc32: 0,
      context: undefined,
      data: Buffer.alloc(0),
    };
    return [{ chunk: empty, resources: [], touched: false, trailingComma: false }];
  }

  /** Where the edits remove the end of the list, an edited run that is last now ends without a comma. */
  private async endListAfter(
    stateId: string,
    current: ComparableDocument,
    runs: readonly LoadedRun[],
  ): Promise<void> {
    const touched = new Map(runs.filter((run) => run.touched).map((run) => [run.chunk.hash, run]));
    const kinds = await this.assembly.kindsOf(stateId, current.hashes);
    const resources = current.hashes.filter((hash) => kinds.get(hash)?.kind !== CHUNK_KINDS.frame);
    const newLast = resources.filter((hash) => touched.get(hash)?.resources.length !== 0).at(-1);
    const run = newLast === undefined || newLast === resources.at(-1) ? undefined : touched.get(newLast);
    if (!run) return;
    if (run.resources.at(-1)?.tail === '')
      throw new MergeImpossible('the list would end inside of a resource');
    run.trailingComma = false;
  }

  /** The chunks between head and tail, with the edited ones replaced; the last one must not end with a comma. */
  private async middleOf(
    stateId: string,
    current: ComparableDocument,
    replaced: ReadonlyMap<string, string[]>,
    add: AddChunk,
  ): Promise<string[]> {
    const stored = new Map<string, StoredChunk>();
    const kinds = await this.assembly.kindsOf(stateId, current.hashes);
    const resources = current.hashes.filter((hash) => kinds.get(hash)?.kind !== CHUNK_KINDS.frame);
    const last = resources.at(-1);
    const kept = resources.filter((hash) => replaced.get(hash)?.length !== 0);
    const newLast = kept.at(-1);
    const middle = kept.flatMap((hash) => replaced.get(hash) ?? [hash]);
    middle.push(...(replaced.get('') ?? []));
    if (newLast === undefined || newLast === last) return middle;
    // The end of the list was removed: what is last now loses its comma.
    if (replaced.has(newLast)) return middle;
    for await (const chunk of this.chunks.read(stateId, [newLast])) stored.set(newLast, chunk);
    const chunk = stored.get(newLast);
    if (!chunk || chunk.kind === CHUNK_KINDS.openResources)
      throw new MergeImpossible('the list would end inside of a resource');
    const text = inflateChunk(chunk.data).toString('latin1').replace(/,\s*$/, '');
    middle[middle.length - 1] = add(Buffer.from(text, 'latin1'), 'resources', chunk.context, false);
    return middle;
  }
}

/** The edited instances themselves, and the resources that new ones join. */
function wantedFor({ instances }: DocumentEdit): { keys: Set<string>; resources: Set<string> } {
  return {
    keys: new Set(instances.map(({ key }) => key)),
    resources: new Set(
      instances.flatMap(({ text, resourceAddress }) => (text === undefined ? [] : resourceAddress)),
    ),
  };
}

/** The edited instances that the current document lists. */
function listedOf(
  edits: readonly InstanceEdit[],
  indexes: ReadonlyMap<string, readonly InstanceNode[]>,
): Set<string> {
  const edited = new Set(edits.map(({ key }) => key));
  const listed = new Set<string>();
  for (const nodes of indexes.values()) for (const { key } of nodes) if (edited.has(key)) listed.add(key);
  return listed;
}

type AddChunk = (
  bytes: Buffer,
  kind: 'frame' | 'resources',
  context: Buffer | undefined,
  open: boolean,
) => string;

/** The chunks that a touched run becomes: none when nothing is left of it, several when it grew too large. */
function chunksOf(run: LoadedRun, add: AddChunk): string[] {
  const groups: ResourceText[][] = [];
  let size = Number.MAX_SAFE_INTEGER;
  for (const resource of run.resources) {
    if (size > CHUNK_BYTES) {
      groups.push([]);
      size = 0;
    }
    groups.at(-1)?.push(resource);
    size += resource.head.length + resource.instances.reduce((sum, { text }) => sum + text.length, 0);
  }
  const { context, kind } = run.chunk;
  return groups.map((group, index) => {
    const isLast = index === groups.length - 1;
    return add(
      joinResources(group, { trailingComma: isLast ? run.trailingComma : true }),
      'resources',
      index === 0 ? context : undefined,
      isLast && kind === CHUNK_KINDS.openResources,
    );
  });
}

function endsWithComma(bytes: Buffer): boolean {
  return /,\s*$/.test(bytes.toString('latin1', Math.max(0, bytes.length - 64)));
}
