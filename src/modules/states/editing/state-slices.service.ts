import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import {
  inflateChunk,
  joinResources,
  membersOf,
  type ResourceText,
  splitResources,
  topLevelMembers,
  withoutKeys,
} from '../../documents/index.js';
import { unpackHashes } from '../chunks/chunk-list.js';
import { configAddressOf } from '../chunks/chunk-signature.rules.js';
import { continueOrAdd } from '../merging/divided-resources.js';
import { DocumentAssembly } from '../merging/document-assembly.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import { StateEntity } from '../entities/state.entity.js';
import { stateErrors } from '../states.errors.js';
import { StoredDocuments } from '../chunks/stored-documents.store.js';

/** Some resources of a state's current document, as it says them. */
export interface StateSlice {
  version: number;
  serial: number;
  lineage: string;
  terraformVersion: string | undefined;
  /** in the order of the document; `text` is one resource object with all of its instances */
  resources: { address: string; text: string }[];
  /** all of them, JSON text by name */
  outputs: Map<string, string>;
}

/** Reads the parts of a document that somebody needs, and only the chunks they stand in. */
@Injectable()
export class StateSlices {
  constructor(
    private readonly work: UnitOfWork,
    private readonly documents: StoredDocuments,
    private readonly chunks: DocumentChunks,
    private readonly assembly: DocumentAssembly,
  ) {}

  /** `wanted`: addresses without any keys (`module.net.aws_subnet.a`), or everything. */
  async read(stateId: string, wanted: ReadonlySet<string> | 'all'): Promise<StateSlice> {
    const state = await this.work.manager.findOneBy(StateEntity, { id: stateId });
    if (!state) throw stateErrors.STATE_NOT_FOUND();
    const version = state.version > 0 ? await this.documents.version(stateId, state.version) : null;
    if (!version) return { ...described(state), resources: [], outputs: new Map() };
    if (version.format !== 'terraform' || version.graphError !== null)
      throw stateErrors.INVALID_STATE('the stored document cannot be decomposed');
    const hashes = unpackHashes(version.chunks);
    const frame = topLevelMembers(await this.assembly.frameBytes(stateId, hashes));
    const holding = await this.holding(stateId, hashes, wanted);
    const resources: ResourceText[] = [];
    for await (const chunk of this.chunks.read(stateId, holding))
      for (const resource of splitResources(inflateChunk(chunk.data), chunk.context))
        continueOrAdd(resources, resource, chunk.context);
    return {
      ...described(state),
      resources: resources
        .filter(({ address }) => wanted === 'all' || wanted.has(withoutKeys(address)))
        .map((resource) => ({
          address: resource.address,
          text: joinResources([resource], { trailingComma: false }).toString().trim(),
        })),
      outputs: membersOf(frame.get('outputs')),
    };
  }

  private async holding(
    stateId: string,
    hashes: readonly string[],
    wanted: ReadonlySet<string> | 'all',
  ): Promise<string[]> {
    if (wanted === 'all') {
      const indexes = await this.chunks.indexes(stateId, hashes);
      return hashes.filter((hash) => (indexes.get(hash) ?? []).length > 0);
    }
    const indexes = await this.chunks.indexesHolding(stateId, hashes, { configs: wanted });
    return hashes.filter((hash) => indexes.get(hash)?.some((node) => wanted.has(configAddressOf(node))));
  }
}

/** What a state that was never written is asked for is empty; its lineage is known all the same. */
function described(state: StateEntity): Omit<StateSlice, 'resources' | 'outputs'> {
  const { version, serial, lineage } = state;
  return { version, serial, lineage, terraformVersion: state.terraformVersion ?? undefined };
}
