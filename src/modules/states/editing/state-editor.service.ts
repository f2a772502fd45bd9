import { Injectable } from '@nestjs/common';
import { checksOf, type FrameEdit, type InstanceNode, membersOf } from '../../documents/index.js';
import { ChunkSource } from '../publishing/chunk-source.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import { DocumentEditor } from '../merging/document-editor.service.js';
import type { ComparableDocument } from '../chunks/document-ref.js';
import { newerVersion } from '../merging/document-merger.service.js';
import type { InstanceEdit } from '../merging/document-merge.js';
import { DocumentRevisions, nodesOf } from '../merging/document-revisions.service.js';
import type { StateEntity } from '../entities/state.entity.js';
import type { WriteOutcome } from '../writing/state-write.js';
import { AcceptedVersions } from '../writing/accepted-versions.service.js';
import { stateErrors } from '../states.errors.js';
import { Authorship, StoredDocuments } from '../chunks/stored-documents.store.js';

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
    private readonly revisions: DocumentRevisions,
    private readonly versions: AcceptedVersions,
  ) {}

  /** The state's row, locked until the transaction at hand ends. */
  async lock(stateId: string): Promise<StateEntity> {
    return this.versions.lockState(stateId);
  }

  /** Makes a new version, or none when the document says all of it already. The state's row is locked. */
  async apply(state: StateEntity, edit: StateEdit, by: Authorship): Promise<WriteOutcome | undefined> {
    const current = await this.documents.comparable(state.id, { version: state.version });
    const isTerraform = state.format === 'terraform' || state.format === 'empty';
    if (!current || !isTerraform || state.graphError !== null)
      throw stateErrors.INVALID_STATE('the stored document cannot be decomposed');
    const owner = { stateId: state.id, tenantId: state.tenantId };
    const source = new ChunkSource(this.chunks, owner, undefined);
    const effective = await this.effective(state, current, edit, source);
    if (!effective) return undefined;
    const edited = await this.revisions.edit(state, current, effective, source);
    try {
      const attempt = { state, next: edited.document, source: edited.source, by };
      return await this.versions.accept(attempt, { origin: 'transaction', current });
    } finally {
      await edited.dispose();
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
    const outputs = differing(membersOf(members.get('outputs')), edit.outputs, { clear: edit.clear });
    const checks = differing(checksOf(members.get('check_results')), edit.checks, { clear: edit.clear });
    const isWritten = state.version > 0;
    const lineage = (!isWritten || edit.clear) && edit.lineage !== state.lineage ? edit.lineage : undefined;
    const isChanged = instances.length + outputs.size + checks.size > 0 || lineage !== undefined;
    if (isWritten && !isChanged) return undefined;
    const terraformVersion = newerVersion(state.terraformVersion ?? undefined, edit.terraformVersion);
    return { instances, frame: { serial: state.serial + 1, terraformVersion, lineage, outputs, checks } };
  }
}

const NOTHING: ComparableDocument = { hashes: [], frame: { outputs: {}, checks: {} } };

function removal({ key, resourceAddress }: InstanceNode): InstanceEdit {
  return { key, resourceAddress, text: undefined, resource: undefined };
}

function differing(
  current: ReadonlyMap<string, string>,
  wanted: ReadonlyMap<string, string | undefined>,
  { clear = false }: { clear?: boolean } = {},
): Map<string, string | undefined> {
  const all = new Map(wanted);
  if (clear) for (const name of current.keys()) if (!wanted.has(name)) all.set(name, undefined);
  return new Map([...all].filter(([name, text]) => current.get(name) !== text));
}
