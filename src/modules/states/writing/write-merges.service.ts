import { Injectable } from '@nestjs/common';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import { HeaderConflict, MergeImpossible } from '../merging/document-merge.js';
import { DocumentMerger } from '../merging/document-merger.service.js';
import type { EditedDocument } from '../merging/document-revisions.service.js';
import { ChunkSource } from '../publishing/chunk-source.js';
import { stateErrors } from '../states.errors.js';
import { AcceptedVersions } from './accepted-versions.service.js';
import type { WriteOutcome } from './state-write.js';
import type { WriteAttempt } from './write-attempt.js';
import type { Decision } from './write-comparison.js';
import { WriteDecisions } from './write-decisions.service.js';

type MergeDecision = Extract<Decision, { kind: 'merge' }>;

/** Puts a writer's changes into a document that others have changed since. */
@Injectable()
export class WriteMerges {
  constructor(
    private readonly chunks: DocumentChunks,
    private readonly merger: DocumentMerger,
    private readonly versions: AcceptedVersions,
    private readonly decisions: WriteDecisions,
  ) {}

  /** Undefined when the changes do not fit into the current document. */
  async merge(
    attempt: WriteAttempt,
    { base, changes }: Pick<MergeDecision, 'base' | 'changes'>,
  ): Promise<WriteOutcome | undefined> {
    const { state, next, source } = attempt;
    let edited: EditedDocument;
    try {
      edited = await this.merger.merge(state, next, { base: base.base, changes }, source);
    } catch (error) {
      if (error instanceof MergeImpossible || error instanceof HeaderConflict) return undefined;
      throw error;
    }
    try {
      const merged = { ...attempt, next: edited.document, source: edited.source };
      return { ...(await this.versions.accept(merged, { origin: 'merge' })), result: 'merged' };
    } finally {
      await edited.dispose();
    }
  }

  /** Merges a document whose chunks are stored, and whose writer started from `version`. */
  async mergeStored(stored: Omit<WriteAttempt, 'source'>, version: number): Promise<WriteOutcome> {
    const { id: stateId, tenantId } = stored.state;
    const attempt = { ...stored, source: new ChunkSource(this.chunks, { stateId, tenantId }, undefined) };
    const decision = await this.decisions.decideOnVersion(attempt, version);
    switch (decision.kind) {
      case 'refuse':
        throw decision.error;
      case 'unchanged':
      case 'absorb':
        return this.versions.leaveUnchanged(attempt);
      case 'store':
        return this.versions.accept(attempt, { origin: 'merge' });
      case 'merge': {
        const merged = await this.merge(attempt, decision);
        if (!merged) throw stateErrors.TX_CONFLICT(decision.others.join(','));
        return merged;
      }
    }
  }
}
