import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { AppError } from '../../../platform/errors/index.js';
import { Events } from '../../../platform/events/index.js';
import { inflateChunk, type IngestedDocument } from '../../documents/index.js';
import { ClientBases } from './client-bases.store.js';
import type { ClientRun } from './client-run.js';
import { outcomeOf, type Refusal, type StateWrite, type WriteOutcome } from './state-write.js';
import { ChunkSource } from '../publishing/chunk-source.js';
import { DocumentIntake } from '../chunks/document-intake.js';
import type { ComparableDocument } from '../chunks/document-ref.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import { HeaderConflict, MergeImpossible } from '../merging/document-merge.js';
import type { EditedDocument } from '../merging/document-revisions.service.js';
import type { VersionOrigin } from '../entities/state-version.entity.js';
import { GRAPH_FORMAT, StateEntity } from '../entities/state.entity.js';
import { DocumentMerger } from '../merging/document-merger.service.js';
import { prepared } from '../merging/prepared-document.js';
import { RunRecords, type SentDocument } from './run-records.service.js';
import { StateGroups } from '../state-groups.store.js';
import { stateErrors } from '../states.errors.js';
import { Authorship, PreparedDocument, StoredDocuments } from '../chunks/stored-documents.store.js';
import { FrameRows, VersionPublisher } from '../publishing/version-publisher.js';
import { TransactionNamed } from '../publishing/transaction-named.event.js';
import { VersionStored } from '../publishing/version-stored.event.js';
import type { Decision } from './write-comparison.js';
import { WriteDecisions } from './write-decisions.service.js';

/** How a document becomes the current one. */
interface Acceptance {
  origin: VersionOrigin;
  by: Authorship;
  /** of the client that sent it */
  run?: ClientRun;
  /** the document it replaces, for who has read it */
  current?: ComparableDocument;
}

/** Everything that changes the document of a state goes through here. */
@Injectable()
export class StateWriter {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly intake: DocumentIntake,
    private readonly chunks: DocumentChunks,
    private readonly documents: StoredDocuments,
    private readonly bases: ClientBases,
    private readonly records: RunRecords,
    private readonly decisions: WriteDecisions,
    private readonly merger: DocumentMerger,
    private readonly publisher: VersionPublisher,
    private readonly groups: StateGroups,
    private readonly events: Events,
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
        await write.noted?.(written);
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
    await this.store(state, next, document);
    const source = new ChunkSource(
      this.chunks,
      { stateId: state.id, tenantId: state.tenantId },
      document.spool,
    );
    const by: Authorship = {
      txId: write.run.txId ?? this.secrets.uuid(),
      runId: this.secrets.uuid(),
      userId: write.userId,
      tags: write.tags?.(),
    };
    const sent: SentDocument = { state, next, by, run: write.run };
    const closed = await this.refusalByTransaction(write, state);
    if (closed) {
      const refusal: Decision = { kind: 'refuse', error: closed, conflictsWith: [], base: undefined };
      return this.refuse({ ...sent, by: { ...by, txId: this.secrets.uuid() } }, refusal);
    }
    const decision = await this.decisions.decide(state, next, { run: write.run, source, force: write.force });
    if (write.force && next.serial <= state.serial) await this.bases.retireSerials(state.id, next.serial);
    switch (decision.kind) {
      case 'unchanged':
        await this.records.recordSent(sent, decision.taken);
        return outcomeOf(state, 'unchanged', await this.currentTransaction(state, by));
      case 'absorb':
        await this.records.keepMerged(sent, decision.base, state.version);
        return outcomeOf(state, 'unchanged', await this.currentTransaction(state, by));
      case 'store':
        return this.accept(state, next, source, {
          origin: write.force ? 'force' : write.origin,
          by: { ...by, runId: decision.runId ?? by.runId },
          run: write.run,
          ...(decision.current ? { current: decision.current } : {}),
        });
      case 'refuse':
        return this.refuse(sent, decision);
      case 'merge':
        return this.merge({ ...sent, next }, decision, source);
    }
  }

  /** Why the transaction that the run names takes no writes: they are kept, for the infrastructure has changed. */
  private async refusalByTransaction(
    { run, userId }: StateWrite,
    { tenantId }: StateEntity,
  ): Promise<AppError | undefined> {
    if (run.txId === undefined) return undefined;
    try {
      await this.events.publish(new TransactionNamed(run.txId, tenantId, userId, true));
      return undefined;
    } catch (error) {
      if (error instanceof AppError) return error;
      throw error;
    }
  }

  /** Nothing was stored: the answer names the transaction that brought what is there. */
  private async currentTransaction(state: StateEntity, by: Authorship): Promise<string> {
    return (await this.documents.version(state.id, state.version))?.txId ?? by.txId;
  }

  /** Makes `next` the current document. The state's row is locked and its chunks are stored. */
  async accept(
    state: StateEntity,
    next: PreparedDocument & FrameRows,
    source: ChunkSource,
    { origin, by, run, current }: Acceptance,
  ): Promise<WriteOutcome> {
    const version = state.version + 1;
    const before = current ?? (await this.documents.comparable(state.id, { version: state.version }));
    const graphError = await this.publisher.publish(state, {
      version,
      before: before ?? EMPTY,
      after: next,
      source,
      by,
    });
    await this.documents.addVersion(state.id, version, { origin, document: { ...next, graphError }, by });
    await this.work.query(
      `UPDATE states SET version = $2, serial = $3, lineage = $4, format = $5, terraform_version = $6, graph_error = $7, graph_format = $8, updated_at = now() WHERE id = $1`,
      [
        state.id,
        version,
        next.serial,
        next.lineage,
        next.format,
        next.terraformVersion ?? null,
        graphError ?? null,
        GRAPH_FORMAT,
      ],
    );
    await this.events.publish(
      new VersionStored(state.id, state.tenantId, version, by.txId, by.userId, by.tags),
    );
    if (run) {
      const document = { version };
      const taken = { document, base: document, runId: by.runId, seenVersion: version };
      await this.records.recordSent({ state, next, run }, taken);
    }
    return outcomeOf({ ...state, version, serial: next.serial }, 'stored', by.txId);
  }

  /** Merges a stored document whose writer started from a certain version. The state's row is locked. */
  async mergeOnto(
    state: StateEntity,
    next: PreparedDocument & FrameRows,
    { version, source, by }: { version: number; source: ChunkSource; by: Authorship },
  ): Promise<WriteOutcome> {
    const decision = await this.decisions.decideOnVersion(state, next, { version, runId: by.runId, source });
    switch (decision.kind) {
      case 'refuse':
        throw decision.error;
      case 'unchanged':
      case 'absorb':
        return outcomeOf(state, 'unchanged', await this.currentTransaction(state, by));
      case 'store':
        return this.accept(state, next, source, { origin: 'merge', by });
      case 'merge': {
        const merged = await this.storeMerged(state, next, decision, { source, by });
        if (!merged) throw stateErrors.TX_CONFLICT(decision.others.join(','));
        return { ...merged, result: 'merged' };
      }
    }
  }

  /** Undefined when the changes do not fit into the current document. */
  private async storeMerged(
    state: StateEntity,
    next: PreparedDocument & FrameRows,
    { base, changes }: Extract<Decision, { kind: 'merge' }>,
    { source, by }: { source: ChunkSource; by: Authorship },
  ): Promise<WriteOutcome | undefined> {
    let edited: EditedDocument;
    try {
      edited = await this.merger.merge(state, next, { base: base.base, changes }, source);
    } catch (error) {
      if (error instanceof MergeImpossible || error instanceof HeaderConflict) return undefined;
      throw error;
    }
    try {
      return await this.accept(state, edited.document, edited.source, { origin: 'merge', by });
    } finally {
      await edited.dispose();
    }
  }

  private async merge(
    sent: SentDocument & { next: FrameRows },
    decision: Extract<Decision, { kind: 'merge' }>,
    source: ChunkSource,
  ): Promise<WriteOutcome | Refusal> {
    const { base, others } = decision;
    const by = { ...sent.by, runId: base.runId };
    const outcome = await this.storeMerged(sent.state, sent.next, decision, { source, by });
    if (outcome) {
      await this.records.keepMerged(sent, base, outcome.version);
      return { ...outcome, result: 'merged' };
    }
    const error = stateErrors.TX_CONFLICT(others.join(','));
    return this.refuse(sent, { kind: 'refuse', error, conflictsWith: others, base });
  }

  private async refuse(
    sent: SentDocument,
    decision: Extract<Decision, { kind: 'refuse' }>,
  ): Promise<Refusal> {
    await this.records.keepRefused(sent, decision);
    const { id: stateId, tenantId } = sent.state;
    return { stateId, tenantId, refusal: decision.error };
  }

  private async lock(write: StateWrite, stateId: string): Promise<StateEntity> {
    if ('create' in write.state) {
      const added = await this.groups.addState({ id: stateId, ...write.state.create() });
      if (added === 'group taken' || (added !== 'added' && write.origin === 'import'))
        throw stateErrors.STATE_EXISTS();
      if (added !== 'added') throw new CreatedMeanwhile();
    }
    return this.lockState(stateId);
  }

  async lockState(stateId: string): Promise<StateEntity> {
    const state = await this.work.manager.findOne(StateEntity, {
      where: { id: stateId },
      lock: { mode: 'for_no_key_update' },
    });
    if (!state) throw stateErrors.STATE_NOT_FOUND();
    return state;
  }

  private async store(state: StateEntity, next: PreparedDocument, document: IngestedDocument): Promise<void> {
    await this.chunks.insert(state.id, document.spool);
    const unique = new Set(next.hashes).size;
    // A chunk that was known when the upload began may have been collected since.
    if ((await this.chunks.count(state.id, next.hashes)) !== unique)
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

const EMPTY = { hashes: [], frame: { outputs: {}, checks: {} } };
