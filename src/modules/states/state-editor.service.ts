import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import {
  checksOf,
  CHUNK_KINDS,
  editFrame,
  type FrameEdit,
  inflateChunk,
  type InstanceNode,
  joinResources,
  membersOf,
  type ResourceText,
  splitResources,
} from '../documents/index.js';
import type { WantedInstances } from './chunk-signature.rules.js';
import { ChunkSource } from './chunk-source.js';
import { DocumentChunks } from './document-chunks.store.js';
import { DocumentEditor, MergedDocument } from './document-editor.service.js';
import type { ComparableDocument } from './document-difference.rules.js';
import { DocumentIntake } from './document-intake.js';
import { newerVersion } from './document-merger.service.js';
import { applyEdits, InstanceEdit, MergeImpossible } from './document-merge.js';
import type { StateEntity } from './entities/state.entity.js';
import { prepared } from './prepared-document.js';
import { continueOrAdd } from './state-slices.service.js';
import { StateWriter, WriteOutcome } from './state-writer.service.js';
import { stateErrors } from './states.errors.js';
import { Authorship, StoredDocuments } from './stored-documents.store.js';

/** What is to become different in a state, wherever its document may stand by now. */
export interface StateEdit {
  instances: readonly (InstanceEdit & { hash?: string })[];
  /** JSON text by name; undefined removes it */
  outputs: ReadonlyMap<string, string | undefined>;
  /** JSON text by configuration address; undefined removes it */
  checks: ReadonlyMap<string, string | undefined>;
  terraformVersion: string | undefined;
  /** used where the state has no document yet, or is cleared */
  lineage?: string | undefined;
  /** everything that the edit does not name is removed */
  clear?: boolean;
}

/** Changes single instances, outputs and check results of a state's current document. */
@Injectable()
export class StateEditor {
  constructor(
    private readonly documents: StoredDocuments,
    private readonly chunks: DocumentChunks,
    private readonly editor: DocumentEditor,
    private readonly intake: DocumentIntake,
    private readonly writer: StateWriter,
  ) {}

  /** The state's row, locked until the transaction at hand ends. */
  async lock(stateId: string): Promise<StateEntity> {
    return this.writer.lockState(stateId);
  }

  /** Makes a new version, or none when the document says all of it already. The state's row is locked. */
  async apply(state: StateEntity, edit: StateEdit, by: Authorship): Promise<WriteOutcome | undefined> {
    const current = await this.documents.comparable(state.id, { version: state.version });
    const isTerraform = state.format === 'terraform' || state.format === 'empty';
    if (!current || !isTerraform || state.graphError !== null)
      throw stateErrors.INVALID_STATE('the stored document cannot be taken apart');
    const owner = { stateId: state.id, tenantId: state.tenantId };
    const source = new ChunkSource(this.chunks, owner, undefined);
    const effective = await this.effective(state, current, edit, source);
    if (!effective) return undefined;
    try {
      const edited = await this.editor.edit(state, current, effective, source);
      return await this.accept(state, current, edited, by);
    } catch (error) {
      if (!(error instanceof MergeImpossible)) throw error;
      return this.rewrite(state, current, effective, by);
    }
  }

  /** The instances of some resources in the current document. */
  async instancesOf(state: StateEntity, resources: ReadonlySet<string>): Promise<InstanceNode[]> {
    const current = await this.documents.comparable(state.id, { version: state.version });
    const owner = { stateId: state.id, tenantId: state.tenantId };
    const source = new ChunkSource(this.chunks, owner, undefined);
    const nodes = await nodesOf(current ?? NOTHING, source, { resources });
    return [...nodes.values()].filter(({ resourceAddress }) => resources.has(resourceAddress));
  }

  /** The check results of the current document by configuration address, as JSON text. */
  async checks(state: StateEntity): Promise<Map<string, string>> {
    const current = await this.documents.comparable(state.id, { version: state.version });
    const members = await this.editor.members(state, current ?? NOTHING);
    return checksOf(members.get('check_results'));
  }

  /** Without what the document says already; undefined when nothing remains. */
  private async effective(
    state: StateEntity,
    current: ComparableDocument,
    edit: StateEdit,
    source: ChunkSource,
  ): Promise<{ instances: InstanceEdit[]; frame: FrameEdit } | undefined> {
    const named = new Set(edit.instances.map(({ key }) => key));
    const nodes = await nodesOf(current, source, edit.clear ? undefined : { keys: named });
    const members = await this.editor.members(state, current);
    const cleared = edit.clear ? [...nodes.values()].filter(({ key }) => !named.has(key)).map(removal) : [];
    const instances = [
      ...edit.instances.filter(({ key, text, hash }) =>
        text === undefined ? nodes.has(key) : hash === undefined || nodes.get(key)?.hash !== hash,
      ),
      ...cleared,
    ];
    const outputs = differing(membersOf(members.get('outputs')), edit.outputs, edit.clear);
    const checks = differing(checksOf(members.get('check_results')), edit.checks, edit.clear);
    const isWritten = state.version > 0;
    const lineage = (!isWritten || edit.clear) && edit.lineage !== state.lineage ? edit.lineage : undefined;
    const isChanged = instances.length + outputs.size + checks.size > 0 || lineage !== undefined;
    if (isWritten && !isChanged) return undefined;
    const terraformVersion = newerVersion(state.terraformVersion ?? undefined, edit.terraformVersion);
    return { instances, frame: { serial: state.serial + 1, terraformVersion, lineage, outputs, checks } };
  }

  private async accept(
    state: StateEntity,
    current: ComparableDocument,
    edited: MergedDocument,
    by: Authorship,
  ): Promise<WriteOutcome> {
    await this.chunks.insertRows(state.id, [...edited.fresh.values()]);
    const owner = { stateId: state.id, tenantId: state.tenantId };
    const source = new ChunkSource(this.chunks, owner, undefined, edited.fresh);
    return this.writer.accept(state, edited.document, source, { origin: 'transaction', by, current });
  }

  /** The document as a whole, cut anew: for edits that do not fit into the chunks as they are. */
  private async rewrite(
    state: StateEntity,
    current: ComparableDocument,
    { instances, frame }: { instances: readonly InstanceEdit[]; frame: FrameEdit },
    by: Authorship,
  ): Promise<WriteOutcome> {
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
    applyEdits([run], instances, await nodesOf(current, stored, { keys }));
    const { head, tail } = editFrame(await this.editor.members(state, current), frame);
    const bytes = Readable.from([head, joinResources(run.resources, false), tail], { objectMode: false });
    const known = await this.chunks.known(state.id);
    const document = await this.intake.read(owner, known, {
      bytes,
      length: undefined,
      md5: undefined,
      isIrregular: true,
    });
    try {
      await this.chunks.insert(state.id, document.spool);
      const source = new ChunkSource(this.chunks, owner, document.spool);
      return await this.writer.accept(state, prepared(document), source, {
        origin: 'transaction',
        by,
        current,
      });
    } finally {
      await document.spool.dispose();
    }
  }
}

const NOTHING: ComparableDocument = { hashes: [], frame: { outputs: {}, checks: {} } };

/** By key; `wanted`: at least these. */
async function nodesOf(
  { hashes }: ComparableDocument,
  source: ChunkSource,
  wanted?: WantedInstances,
): Promise<Map<string, InstanceNode>> {
  const found = new Map<string, InstanceNode>();
  const indexes = wanted ? await source.indexesHolding(hashes, wanted) : await source.indexes(hashes);
  for (const nodes of indexes.values()) for (const node of nodes) found.set(node.key, node);
  return found;
}

function removal({ key, resourceAddress }: InstanceNode): InstanceEdit {
  return { key, resourceAddress, text: undefined, resource: undefined };
}

function differing(
  current: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string | undefined>,
  clear = false,
): Map<string, string | undefined> {
  const all = new Map(wanted);
  if (clear) for (const name of current.keys()) if (!wanted.has(name)) all.set(name, undefined);
  return new Map([...all].filter(([name, text]) => current.get(name) !== text));
}
