import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { inflateChunk, type IngestedDocument } from '../../documents/index.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import { DocumentIntake } from '../chunks/document-intake.js';
import type { StateEntity } from '../entities/state.entity.js';
import { prepared } from '../merging/prepared-document.js';
import { ChunkSource } from '../publishing/chunk-source.js';
import { StateGroups } from '../state-groups.store.js';
import { stateErrors } from '../states.errors.js';
import { AcceptedVersions } from './accepted-versions.service.js';
import { ClientWrites } from './client-writes.service.js';
import type { Refusal, StateWrite, WriteOutcome } from './state-write.js';

/** Takes a document from a client: reads its body to the end, then locks the state and decides about the document. */
@Injectable()
export class StateWriter {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly intake: DocumentIntake,
    private readonly chunks: DocumentChunks,
    private readonly groups: StateGroups,
    private readonly versions: AcceptedVersions,
    private readonly clients: ClientWrites,
  ) {}

  async write(write: StateWrite): Promise<WriteOutcome> {
    const isNew = 'create' in write.state;
    const owner = {
      stateId: 'create' in write.state ? this.secrets.uuid() : write.state.id,
      tenantId: write.state.tenantId,
    };
    const known = isNew ? [] : await this.chunks.known(owner.stateId, write.run.connection);
    const document = await this.intake.read(owner, known, write.body);
    try {
      const outcome = await this.work.run(async () => {
        const written = await this.commit(write, owner.stateId, document);
        await write.recordOutcome?.(written);
        return written;
      });
      if ('refusal' in outcome) throw outcome.refusal;
      return outcome;
    } catch (error) {
      if (!(error instanceof CreatedMeanwhile) || !write.createdMeanwhile) throw error;
      const bytes = bytesOf(document);
      const body = { bytes, length: undefined, md5: undefined, isIrregular: true };
      return await this.write({ ...write, state: await write.createdMeanwhile(), body });
    } finally {
      await document.spool.dispose();
    }
  }

  private async commit(
    write: StateWrite,
    stateId: string,
    document: IngestedDocument,
  ): Promise<WriteOutcome | Refusal> {
    const state = await this.lock(write, stateId);
    const next = prepared(document);
    await this.storeChunks(state, next.hashes, document);
    const owner = { stateId: state.id, tenantId: state.tenantId };
    const by = {
      txId: write.run.txId ?? this.secrets.uuid(),
      runId: this.secrets.uuid(),
      userId: write.userId,
      tags: write.tags?.(),
    };
    const source = new ChunkSource(this.chunks, owner, document.spool);
    return this.clients.settle({ state, next, source, by, run: write.run }, write);
  }

  private async lock(write: StateWrite, stateId: string): Promise<StateEntity> {
    if ('create' in write.state) {
      const added = await this.groups.addState({ id: stateId, ...write.state.create() });
      if (added === 'group taken' || (added !== 'added' && write.origin === 'import'))
        throw stateErrors.STATE_EXISTS();
      if (added !== 'added') throw new CreatedMeanwhile();
    }
    return this.versions.lockState(stateId);
  }

  private async storeChunks(
    state: StateEntity,
    hashes: readonly string[],
    { spool }: IngestedDocument,
  ): Promise<void> {
    await this.chunks.insert(state.id, spool);
    // A chunk that was known when the upload began may have been collected since.
    if ((await this.chunks.count(state.id, hashes)) !== new Set(hashes).size)
      throw stateErrors.STATE_BUSY(undefined, { 'Retry-After': '1' });
  }
}

/** Rolls back a write that would have created its state. */
class CreatedMeanwhile extends Error {}

/** The document of a state that was not stored: all of its chunks are in the spool. */
async function* bytesOf({ chunks, spool }: IngestedDocument): AsyncGenerator<Buffer> {
  for (const { hash } of chunks) {
    const chunk = await spool.stored(hash);
    if (!chunk) throw new Error('a chunk of a new document is missing');
    yield inflateChunk(chunk.data);
  }
}
