import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { ClientBases } from './client-bases.store.js';
import { StoredDocuments } from '../chunks/stored-documents.store.js';
import type { DocumentRef } from '../chunks/document-ref.js';
import type { ClientAttempt } from './write-attempt.js';
import type { Decision, WriteBase } from './write-comparison.js';

/** Records documents that did not become a version unchanged, and what a client's next write is compared with. */
@Injectable()
export class RunRecords {
  constructor(
    private readonly documents: StoredDocuments,
    private readonly bases: ClientBases,
    private readonly secrets: Secrets,
  ) {}

  /** The run's document was accepted, or is the stored one. */
  async recordSent(
    { state, next, run }: ClientAttempt,
    taken: WriteBase & { document: DocumentRef },
  ): Promise<void> {
    const { document, base, runId, seenVersion } = taken;
    const { serial } = next;
    await this.bases.record(state.id, run, { kind: 'sent', runId, serial, document, base, seenVersion });
  }

  /** The document that the client sent differs from the version it became part of. */
  async recordMerged(attempt: ClientAttempt, base: WriteBase, resultingVersion: number): Promise<void> {
    const { state, next, by } = attempt;
    const document = { submission: this.secrets.uuid() };
    await this.documents.addSubmission(
      {
        id: document.submission,
        stateId: state.id,
        status: 'merged',
        resultingVersion,
        baseVersion: base.seenVersion,
        conflictsWith: [],
      },
      next,
      { ...by, runId: base.runId },
    );
    await this.recordSent(attempt, { ...base, document, base: document });
  }

  async recordRefused(
    { state, next, by, run }: ClientAttempt,
    { base, conflictsWith }: Pick<Extract<Decision, { kind: 'refuse' }>, 'base' | 'conflictsWith'>,
  ): Promise<void> {
    const submission = this.secrets.uuid();
    const runId = base?.runId ?? by.runId;
    await this.documents.addSubmission(
      {
        id: submission,
        stateId: state.id,
        status: 'refused',
        resultingVersion: null,
        baseVersion: base?.seenVersion ?? null,
        conflictsWith,
      },
      next,
      { ...by, runId },
    );
    // Without a known base the run is refused until it reads again: a higher serial must not make up for it.
    await this.bases.record(state.id, run, {
      kind: 'refused',
      runId,
      serial: next.serial,
      document: { submission },
      base: base?.base,
      seenVersion: base?.seenVersion ?? state.version,
    });
  }
}
