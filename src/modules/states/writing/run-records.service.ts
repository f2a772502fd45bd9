import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { ClientBases } from './client-bases.store.js';
import type { ClientRun } from './client-run.js';
import type { StateEntity } from '../entities/state.entity.js';
import { Authorship, PreparedDocument, StoredDocuments } from '../chunks/stored-documents.store.js';
import type { DocumentRef } from '../chunks/document-ref.js';
import type { Decision, WriteBase } from './write-comparison.js';

/** A document that a client sent. */
export interface SentDocument {
  state: StateEntity;
  next: PreparedDocument;
  by: Authorship;
  run: ClientRun;
}

/** Keeps what a client sent where it is not a version as it came, and what its next write is compared with. */
@Injectable()
export class RunRecords {
  constructor(
    private readonly documents: StoredDocuments,
    private readonly bases: ClientBases,
    private readonly secrets: Secrets,
  ) {}

  /** The run had its document accepted, or has sent what is stored. */
  async recordSent(
    { state, next, run }: Pick<SentDocument, 'state' | 'next' | 'run'>,
    taken: WriteBase & { document: DocumentRef },
  ): Promise<void> {
    const { document, base, runId, seenVersion } = taken;
    const { serial } = next;
    await this.bases.record(state.id, run, { kind: 'sent', runId, serial, document, base, seenVersion });
  }

  /** What the writer sent is not the version it became part of. */
  async keepMerged(sent: SentDocument, base: WriteBase, resultingVersion: number): Promise<void> {
    const { state, next, by } = sent;
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
    await this.recordSent(sent, { ...base, document, base: document });
  }

  async keepRefused(
    { state, next, by, run }: SentDocument,
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
