import { Injectable } from '@nestjs/common';
import {
  CHUNK_KINDS,
  checksOf,
  chunkOf,
  editFrame,
  type FrameEdit,
  inflateChunk,
  membersOf,
  type ParsedChunk,
  ResourceText,
  splitResources,
  topLevelMembers,
} from '../../documents/index.js';
import { chunkDifference, NodeChange } from '../publishing/document-difference.rules.js';
import { ComparableDocument } from '../chunks/document-ref.js';
import { ChunkSource } from '../publishing/chunk-source.js';
import { DocumentAssembly } from './document-assembly.js';
import type { MergedDocument } from './document-editor.service.js';
import { DocumentRevisions, type EditedDocument } from './document-revisions.service.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import { mergeCheck } from './check-merge.rules.js';
import { InstanceEdit, MergeImpossible } from './document-merge.js';
import type { DocumentRef } from '../chunks/document-ref.js';
import { unpackHashes } from '../chunks/chunk-list.js';
import type { StateVersionEntity } from '../entities/state-version.entity.js';
import { stateErrors } from '../states.errors.js';
import type { StateEntity } from '../entities/state.entity.js';
import { PreparedDocument, StoredDocuments } from '../chunks/stored-documents.store.js';

/** Builds the document that holds the current one with a writer's changes put in, rewriting only the chunks they touch. */
@Injectable()
export class DocumentMerger {
  constructor(
    private readonly chunks: DocumentChunks,
    private readonly documents: StoredDocuments,
    private readonly assembly: DocumentAssembly,
    private readonly revisions: DocumentRevisions,
  ) {}

  /** `changes`: what the writer changed against its own base; they overlap nobody's. */
  async merge(
    state: StateEntity,
    writer: PreparedDocument,
    { base, changes }: { base: DocumentRef; changes: readonly NodeChange[] },
    source: ChunkSource,
  ): Promise<EditedDocument> {
    const current = await this.documents.comparable(state.id, { version: state.version });
    if (!current) throw new MergeImpossible('the current document is missing');
    const instances = await this.editsOf(state.id, current, writer, changes);
    const frame = await this.frameOf(state, { writer, base, current }, changes);
    const theirs = new Set(writer.hashes);
    const near = current.hashes.filter((hash) => !theirs.has(hash));
    const edit = { instances, frame, near, refusesMixedHeaders: true };
    return this.revisions.edit(state, current, edit, source);
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
    const fresh = new Map<string, ParsedChunk>();
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

  /** The writer's check results, merged by instance with those of the current document. */
  private async checksOver(
    state: StateEntity,
    {
      written,
      base,
      current,
    }: { written: ReadonlyMap<string, string>; base: DocumentRef; current: ComparableDocument },
  ): Promise<Map<string, string>> {
    const before = await this.documents.comparable(state.id, base);
    const checksIn = async (document: ComparableDocument | undefined) =>
      document && document.hashes.length > 0
        ? checksOf(
            topLevelMembers(await this.assembly.frameBytes(state.id, document.hashes)).get('check_results'),
          )
        : new Map<string, string>();
    const [started, stored] = [await checksIn(before), await checksIn(current)];
    return new Map(
      [...written].map(([address, text]) => [
        address,
        mergeCheck(started.get(address), text, stored.get(address)) ?? text,
      ]),
    );
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
    // What cannot be told apart in the text must not be taken for nothing.
    if (edits.length !== wanted.size) throw new MergeImpossible('a changed instance is not in the document');
    return edits;
  }

  /** The writer's changes to outputs and check results. */
  private async frameOf(
    state: StateEntity,
    { writer, base, current }: { writer: PreparedDocument; base: DocumentRef; current: ComparableDocument },
    changes: readonly NodeChange[],
  ): Promise<FrameEdit> {
    const theirs = topLevelMembers(await this.assembly.frameBytes(state.id, writer.hashes));
    const outputs = membersOf(theirs.get('outputs'));
    const written = checksOf(theirs.get('check_results'));
    const hasChecks = changes.some(({ check }) => check !== undefined);
    const checks = hasChecks ? await this.checksOver(state, { written, base, current }) : written;
    for (const { op, output, check } of changes) {
      // A name that PostgreSQL cannot hold stands changed in the index; it cannot be found again.
      const isMissing =
        (output !== undefined && !outputs.has(output)) || (check !== undefined && !checks.has(check));
      if (op !== 'r' && isMissing)
        throw new MergeImpossible('an output or check result cannot be told by its name');
    }
    return {
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
    };
  }
}

/** A resource that begins inside of a chunk gets its head from the chunk's context, so that it can be inserted whole. */
function complete(resource: ResourceText, context: Buffer | undefined): ResourceText {
  const head = resource.head === '' && context ? context.toString('utf8').trim() : resource.head;
  return { ...resource, head, tail: resource.tail === '' ? ']\n    }' : resource.tail };
}

/** The higher of two Terraform versions: an older client must still be told that a newer one wrote the state. */
export function newerVersion(a: string | undefined, b: string | undefined): string | undefined {
  if (a === undefined || b === undefined) return a ?? b;
  const parts = (version: string) => version.split(/[.-]/).map((part) => Number.parseInt(part, 10) || 0);
  const [left, right] = [parts(a), parts(b)];
  for (let i = 0; i < Math.max(left.length, right.length); i++) {
    const order = (left[i] ?? 0) - (right[i] ?? 0);
    if (order !== 0) return order > 0 ? a : b;
  }
  return a;
}
