import { Injectable } from '@nestjs/common';
import {
  CHUNK_KINDS,
  checksOf,
  chunkOf,
  editFrame,
  inflateChunk,
  joinResources,
  membersOf,
  NewChunk,
  ResourceText,
  splitResources,
  topLevelMembers,
} from '../documents/index.js';
import { chunkDifference, ComparableDocument, NodeChange } from './document-difference.rules.js';
import { ChunkSource } from './chunk-source.js';
import { DocumentAssembly } from './document-assembly.js';
import { DocumentChunks, StoredChunk } from './document-chunks.store.js';
import { applyEdits, EditableRun, InstanceEdit, MergeImpossible } from './document-merge.js';
import { unpackHashes } from './chunk-list.js';
import type { StateVersionEntity } from './entities/state-version.entity.js';
import { stateErrors } from './states.errors.js';
import type { StateEntity } from './entities/state.entity.js';
import { PreparedDocument, StoredDocuments } from './stored-documents.store.js';
import type { FrameRows } from './version-publisher.js';

interface LoadedRun extends EditableRun {
  chunk: StoredChunk;
  trailingComma: boolean;
}

export interface MergedDocument {
  document: PreparedDocument & FrameRows;
  /** chunks that are not stored yet, by hash */
  fresh: Map<string, NewChunk>;
}

/** Builds the document that holds the current one with a writer's changes put in, rewriting only the chunks they touch. */
@Injectable()
export class DocumentMerger {
  constructor(
    private readonly chunks: DocumentChunks,
    private readonly documents: StoredDocuments,
    private readonly assembly: DocumentAssembly,
  ) {}

  /** `changes`: what the writer changed against its own base; they overlap nobody's. */
  async merge(
    state: StateEntity,
    writer: PreparedDocument,
    changes: readonly NodeChange[],
    source: ChunkSource,
  ): Promise<MergedDocument> {
    const current = await this.documents.comparable(state.id, { version: state.version });
    if (!current) throw new MergeImpossible('the current document is missing');
    const owner = { stateId: state.id, tenantId: state.tenantId };
    const edits = await this.editsOf(state.id, current, writer, changes);
    const runs = await this.runsFor(state.id, current, writer, changes, source, edits.length > 0);
    applyEdits(runs, edits);
    const fresh = new Map<string, NewChunk>();
    const add = (
      bytes: Buffer,
      kind: 'frame' | 'resources',
      context: Buffer | undefined,
      open: boolean,
    ): string => {
      const chunk = chunkOf({ kind, bytes, open, ...(context ? { context } : {}) }, owner);
      fresh.set(chunk.hash, chunk);
      return chunk.hash;
    };
    const replaced = new Map<string, string | undefined>();
    for (const run of runs.filter((candidate) => candidate.touched)) {
      const { context, kind, hash } = run.chunk;
      const bytes = joinResources(run.resources, run.trailingComma);
      replaced.set(
        hash,
        run.resources.length > 0
          ? add(bytes, 'resources', context, kind === CHUNK_KINDS.openResources)
          : undefined,
      );
    }
    const middle = await this.middleOf(state.id, current, replaced, add);
    const frame = await this.frameOf(state, current, writer, changes);
    const hashes = [
      add(frame.head, 'frame', undefined, false),
      ...middle,
      add(frame.tail, 'frame', undefined, false),
    ];
    return {
      document: await this.assembly.describe(
        state.id,
        hashes,
        fresh,
        Buffer.concat([frame.head, frame.tail]),
      ),
      fresh,
    };
  }

  /** An old version under the next serial and the current lineage. */
  async restore(state: StateEntity, version: StateVersionEntity): Promise<MergedDocument> {
    if (version.format !== 'terraform')
      throw stateErrors.INVALID_STATE('only a version 4 document can be restored');
    const hashes = unpackHashes(version.chunks);
    const members = topLevelMembers(await this.assembly.frameBytes(state.id, hashes));
    members.set('lineage', JSON.stringify(state.lineage));
    const edit = {
      serial: state.serial + 1,
      terraformVersion: undefined,
      outputs: new Map<string, string>(),
      checks: new Map<string, string>(),
    };
    const frame = editFrame(members, edit);
    const fresh = new Map<string, NewChunk>();
    const owner = { stateId: state.id, tenantId: state.tenantId };
    const head = chunkOf({ kind: 'frame', bytes: frame.head, open: false }, owner);
    const tail = chunkOf({ kind: 'frame', bytes: frame.tail, open: false }, owner);
    for (const chunk of [head, tail]) fresh.set(chunk.hash, chunk);
    const kinds = await this.assembly.kindsOf(state.id, hashes);
    const middle = hashes.filter((hash) => kinds.get(hash)?.kind !== CHUNK_KINDS.frame);
    const described = await this.assembly.describe(
      state.id,
      [head.hash, ...middle, tail.hash],
      fresh,
      Buffer.concat([frame.head, frame.tail]),
    );
    return { document: { ...described, graphError: version.graphError ?? described.graphError }, fresh };
  }

  /** The writer's changed instances as texts. */
  private async editsOf(
    stateId: string,
    current: ComparableDocument,
    writer: ComparableDocument,
    changes: readonly NodeChange[],
  ): Promise<InstanceEdit[]> {
    const wanted = new Map(
      changes.filter((change) => change.before ?? change.after).map((change) => [change.key, change]),
    );
    const edits: InstanceEdit[] = [...wanted.values()]
      .filter((change) => change.op === 'r')
      .map((change) => ({
        key: change.key,
        resourceAddress: change.before?.resourceAddress ?? '',
        text: undefined,
        resource: undefined,
      }));
    if (edits.length === wanted.size) return edits;
    const { come } = chunkDifference(current.hashes, writer.hashes);
    for await (const chunk of this.chunks.read(stateId, come)) {
      if (chunk.kind === CHUNK_KINDS.frame) continue;
      for (const resource of splitResources(inflateChunk(chunk.data), chunk.context)) {
        for (const { key, text } of resource.instances) {
          const change = wanted.get(key);
          if (change?.after)
            edits.push({
              key,
              resourceAddress: resource.address,
              text,
              resource: complete(resource, chunk.context),
            });
        }
      }
    }
    return edits;
  }

  /** The chunks of the current document in which the changed instances stand or belong. */
  private async runsFor(
    stateId: string,
    current: ComparableDocument,
    writer: ComparableDocument,
    changes: readonly NodeChange[],
    source: ChunkSource,
    needed: boolean,
  ): Promise<LoadedRun[]> {
    if (!needed) return [];
    const indexes = await source.indexes(current.hashes);
    const keys = new Set(changes.map((change) => change.key));
    const resources = new Set(changes.flatMap((change) => change.after?.resourceAddress ?? []));
    const holding = current.hashes.filter((hash) =>
      indexes.get(hash)?.some((node) => keys.has(node.key) || resources.has(node.resourceAddress)),
    );
    const near = nearestCommonChunks(current.hashes, writer.hashes, indexes);
    const hashes = [...new Set([...holding, ...near])];
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

  /** The chunks between head and tail, with the edited ones replaced; the last one must not end with a comma. */
  private async middleOf(
    stateId: string,
    current: ComparableDocument,
    replaced: ReadonlyMap<string, string | undefined>,
    add: (bytes: Buffer, kind: 'resources', context: Buffer | undefined, open: boolean) => string,
  ): Promise<string[]> {
    const stored = new Map<string, StoredChunk>();
    const kinds = await this.assembly.kindsOf(stateId, current.hashes);
    const resources = current.hashes.filter((hash) => kinds.get(hash)?.kind !== CHUNK_KINDS.frame);
    const last = resources.at(-1);
    const kept = resources.filter((hash) => !replaced.has(hash) || replaced.get(hash) !== undefined);
    const newLast = kept.at(-1);
    const middle = kept.map((hash) => replaced.get(hash) ?? hash);
    const created = replaced.get('');
    if (created !== undefined) middle.push(created);
    if (newLast === undefined || newLast === last) return middle;
    // The end of the list was removed: what is last now loses its comma.
    if (replaced.has(newLast))
      throw new MergeImpossible('the end of the list and what precedes it changed at once');
    for await (const chunk of this.chunks.read(stateId, [newLast])) stored.set(newLast, chunk);
    const chunk = stored.get(newLast);
    if (!chunk || chunk.kind === CHUNK_KINDS.openResources)
      throw new MergeImpossible('the list would end inside of a resource');
    const text = inflateChunk(chunk.data).toString('latin1').replace(/,\s*$/, '');
    middle[middle.length - 1] = add(Buffer.from(text, 'latin1'), 'resources', chunk.context, false);
    return middle;
  }

  private async frameOf(
    state: StateEntity,
    current: ComparableDocument,
    writer: PreparedDocument,
    changes: readonly NodeChange[],
  ): Promise<{ head: Buffer; tail: Buffer }> {
    const mine = topLevelMembers(await this.assembly.frameBytes(state.id, current.hashes));
    const theirs = topLevelMembers(await this.assembly.frameBytes(state.id, writer.hashes));
    const outputs = membersOf(theirs.get('outputs'));
    const checks = checksOf(theirs.get('check_results'));
    for (const { op, output, check } of changes) {
      // A name that PostgreSQL cannot hold stands changed in the index; it cannot be found again.
      const isMissing =
        (output !== undefined && !outputs.has(output)) || (check !== undefined && !checks.has(check));
      if (op !== 'r' && isMissing)
        throw new MergeImpossible('an output or check result cannot be told by its name');
    }
    return editFrame(mine, {
      serial: Math.max(state.serial, writer.serial) + 1,
      terraformVersion: newerVersion(state.terraformVersion ?? undefined, writer.terraformVersion),
      outputs: new Map(
        changes.flatMap(({ output }) =>
          output === undefined ? [] : [[output, outputs.get(output)] as const],
        ),
      ),
      checks: new Map(
        changes.flatMap(({ check }) => (check === undefined ? [] : [[check, checks.get(check)] as const])),
      ),
    });
  }
}

/** A resource that begins inside of a chunk gets its head from the chunk's context, so that it can be inserted whole. */
function complete(resource: ResourceText, context: Buffer | undefined): ResourceText {
  const head = resource.head === '' && context ? context.toString('utf8').trim() : resource.head;
  return { ...resource, head, tail: resource.tail === '' ? ']\n    }' : resource.tail };
}

/** A chunk to take resources that are new: one both documents have in their neighbourhood, else the last one. */
function nearestCommonChunks(
  current: readonly string[],
  writer: readonly string[],
  indexes: ReadonlyMap<string, readonly unknown[]>,
): string[] {
  const resources = current.filter((hash) => (indexes.get(hash)?.length ?? 0) > 0);
  const theirs = new Set(writer);
  const replacedByWriter = resources.filter((hash) => !theirs.has(hash));
  const chosen = replacedByWriter.at(-1) ?? resources.at(-1);
  return chosen === undefined ? [] : [chosen];
}

function endsWithComma(bytes: Buffer): boolean {
  return /,\s*$/.test(bytes.toString('latin1', Math.max(0, bytes.length - 64)));
}

/** The higher of two Terraform versions: an older client must still be told that a newer one wrote the state. */
function newerVersion(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const parts = (version: string) => version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = (left[i] ?? 0) - (right[i] ?? 0);
    if (order !== 0) return order > 0 ? a : b;
  }
  return a;
}
