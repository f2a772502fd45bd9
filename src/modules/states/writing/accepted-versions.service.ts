import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Events } from '../../../platform/events/index.js';
import type { ComparableDocument } from '../chunks/document-ref.js';
import { StoredDocuments } from '../chunks/stored-documents.store.js';
import type { VersionOrigin } from '../entities/state-version.entity.js';
import { GRAPH_FORMAT, StateEntity } from '../entities/state.entity.js';
import { VersionPublisher } from '../publishing/version-publisher.js';
import { VersionStored } from '../publishing/version-stored.event.js';
import { stateErrors } from '../states.errors.js';
import { outcomeOf, type WriteOutcome } from './state-write.js';
import type { WriteAttempt } from './write-attempt.js';

/** Makes documents the current ones. Every new version of a state is stored here. */
@Injectable()
export class AcceptedVersions {
  constructor(
    private readonly work: UnitOfWork,
    private readonly documents: StoredDocuments,
    private readonly publisher: VersionPublisher,
    private readonly events: Events,
  ) {}

  /** The state's row, locked until the database transaction ends. */
  async lockState(stateId: string): Promise<StateEntity> {
    const state = await this.work.manager.findOne(StateEntity, {
      where: { id: stateId },
      lock: { mode: 'for_no_key_update' },
    });
    if (!state) throw stateErrors.STATE_NOT_FOUND();
    return state;
  }

  /** @param current the document that is replaced, when the caller has read it */
  async accept(
    { state, next, source, by }: WriteAttempt,
    { origin, current }: { origin: VersionOrigin; current?: ComparableDocument | undefined },
  ): Promise<WriteOutcome> {
    const version = state.version + 1;
    const before =
      current ?? (await this.documents.comparable(state.id, { version: state.version })) ?? EMPTY;
    const graphError = await this.publisher.publish(state, { version, before, after: next, source, by });
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
    const { txId, userId, tags } = by;
    await this.events.publish(new VersionStored(state.id, state.tenantId, version, txId, userId, tags));
    return outcomeOf({ ...state, version, serial: next.serial }, 'stored', txId);
  }

  /** For a document that changes nothing: names the transaction that stored the current version. */
  async leaveUnchanged({ state, by }: WriteAttempt): Promise<WriteOutcome> {
    const current = await this.documents.version(state.id, state.version);
    return outcomeOf(state, 'unchanged', current?.txId ?? by.txId);
  }
}

const EMPTY: ComparableDocument = { hashes: [], frame: { outputs: {}, checks: {} } };
