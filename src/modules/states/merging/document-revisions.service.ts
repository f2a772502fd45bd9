import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import {
  CHUNK_KINDS,
  editFrame,
  inflateChunk,
  type InstanceNode,
  joinResources,
  type ResourceText,
  splitResources,
} from '../../documents/index.js';
import type { WantedInstances } from '../chunks/chunk-signature.rules.js';
import { ChunkSource } from '../publishing/chunk-source.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import type { ComparableDocument } from '../chunks/document-ref.js';
import { type DocumentEdit, DocumentEditor } from './document-editor.service.js';
import { DocumentIntake } from '../chunks/document-intake.js';
import { applyEdits, MergeImpossible } from './document-merge.js';
import type { StateEntity } from '../entities/state.entity.js';
import { prepared } from './prepared-document.js';
import { continueOrAdd } from './divided-resources.js';
import type { PreparedDocument } from '../chunks/stored-documents.store.js';
import type { FrameRows } from '../publishing/version-publisher.js';

/** The next document of a state; its chunks are stored. */
export interface EditedDocument {
  document: PreparedDocument & FrameRows;
  source: ChunkSource;
  dispose(): Promise<void>;
}

/** Makes and stores the next document out of the current one, by the chunk where that is possible. */
@Injectable()
export class DocumentRevisions {
  constructor(
    private readonly chunks: DocumentChunks,
    private readonly editor: DocumentEditor,
    private readonly intake: DocumentIntake,
  ) {}

  async edit(
    state: StateEntity,
    current: ComparableDocument,
    edit: DocumentEdit,
    source: ChunkSource,
  ): Promise<EditedDocument> {
    try {
      const { document, fresh } = await this.editor.edit(state, current, edit, source);
      await this.chunks.insertRows(state.id, [...fresh.values()]);
      const owner = { stateId: state.id, tenantId: state.tenantId };
      const edited = new ChunkSource(this.chunks, owner, undefined, fresh);
      return { document, source: edited, dispose: () => Promise.resolve() };
    } catch (error) {
      if (!(error instanceof MergeImpossible)) throw error;
      return this.rewrite(state, current, edit);
    }
  }

  /** The document as a whole, cut anew: for edits that do not fit into the chunks as they are. */
  private async rewrite(
    state: StateEntity,
    current: ComparableDocument,
    { instances, frame, refusesMixedHeaders = false }: DocumentEdit,
  ): Promise<EditedDocument> {
    const resources: ResourceText[] = [];
    for await (const chunk of this.chunks.read(state.id, current.hashes)) {
      if (chunk.kind === CHUNK_KINDS.frame) continue;
      for (const resource of splitResources(inflateChunk(chunk.data), chunk.context))
        continueOrAdd(resources, resource, chunk.context);
    }
    const run = { resources, touched: false };
    const owner = { stateId: state.id, tenantId: state.tenantId };
    const keys = new Set(instances.map(({ key }) => key));
    const stored = new ChunkSource(this.chunks, owner, undefined);
    applyEdits([run], instances, { known: await nodesOf(current, stored, { keys }), refusesMixedHeaders });
    const { head, tail } = editFrame(await this.editor.members(state, current), frame);
    const bytes = Readable.from([head, joinResources(run.resources, { trailingComma: false }), tail], {
      objectMode: false,
    });
    const body = { bytes, length: undefined, md5: undefined, isIrregular: true };
    const document = await this.intake.read(owner, await this.chunks.known(state.id), body);
    try {
      await this.chunks.insert(state.id, document.spool);
    } catch (error) {
      await document.spool.dispose();
      throw error;
    }
    return {
      document: prepared(document),
      source: new ChunkSource(this.chunks, owner, document.spool),
      dispose: () => document.spool.dispose(),
    };
  }
}

/** By key; `wanted`: at least these. */
export async function nodesOf(
  { hashes }: ComparableDocument,
  source: ChunkSource,
  wanted?: WantedInstances,
): Promise<Map<string, InstanceNode>> {
  const found = new Map<string, InstanceNode>();
  const indexes = wanted ? await source.indexesHolding(hashes, wanted) : await source.indexes(hashes);
  for (const nodes of indexes.values()) for (const node of nodes) found.set(node.key, node);
  return found;
}
