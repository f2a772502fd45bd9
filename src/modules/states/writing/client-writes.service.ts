import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { AppError } from '../../../platform/errors/index.js';
import { Events } from '../../../platform/events/index.js';
import type { VersionOrigin } from '../entities/state-version.entity.js';
import { TransactionNamed } from '../publishing/transaction-named.event.js';
import { stateErrors } from '../states.errors.js';
import { AcceptedVersions } from './accepted-versions.service.js';
import { ClientBases } from './client-bases.store.js';
import { RunRecords } from './run-records.service.js';
import type { Refusal, WriteOutcome } from './state-write.js';
import type { ClientAttempt } from './write-attempt.js';
import type { Decision } from './write-comparison.js';
import { WriteDecisions } from './write-decisions.service.js';
import { WriteMerges } from './write-merges.service.js';

/** Stores, merges or refuses the document of a client, and records what the client's next write is compared with. */
@Injectable()
export class ClientWrites {
  constructor(
    private readonly secrets: Secrets,
    private readonly decisions: WriteDecisions,
    private readonly versions: AcceptedVersions,
    private readonly merges: WriteMerges,
    private readonly bases: ClientBases,
    private readonly records: RunRecords,
    private readonly events: Events,
  ) {}

  async settle(
    attempt: ClientAttempt,
    { origin, force }: { origin: VersionOrigin; force: boolean },
  ): Promise<WriteOutcome | Refusal> {
    const { state, next, by } = attempt;
    const closed = await this.refusalByTransaction(attempt);
    // The refused document belongs to no transaction: the one that it names takes no more writes.
    if (closed) return this.refuse({ ...attempt, by: { ...by, txId: this.secrets.uuid() } }, closed);
    const decision = await this.decisions.decide(attempt, { force });
    if (force && next.serial <= state.serial) await this.bases.retireSerials(state.id, next.serial);
    switch (decision.kind) {
      case 'unchanged':
        await this.records.recordSent(attempt, decision.taken);
        return this.versions.leaveUnchanged(attempt);
      case 'absorb':
        await this.records.recordMerged(attempt, decision.base, state.version);
        return this.versions.leaveUnchanged(attempt);
      case 'store':
        return this.store(attempt, decision, { origin: force ? 'force' : origin });
      case 'refuse':
        return this.refuse(attempt, decision);
      case 'merge':
        return this.merge(attempt, decision);
    }
  }

  /** Why the transaction that the run names accepts no writes. The document is recorded: infrastructure has changed. */
  private async refusalByTransaction({
    run,
    by,
    state,
  }: ClientAttempt): Promise<Extract<Decision, { kind: 'refuse' }> | undefined> {
    if (run.txId === undefined) return undefined;
    try {
      await this.events.publish(new TransactionNamed(run.txId, state.tenantId, by.userId, true));
      return undefined;
    } catch (error) {
      if (!(error instanceof AppError)) throw error;
      return { kind: 'refuse', error, conflictsWith: [], base: undefined };
    }
  }

  private async store(
    attempt: ClientAttempt,
    { runId = attempt.by.runId, current }: Extract<Decision, { kind: 'store' }>,
    { origin }: { origin: VersionOrigin },
  ): Promise<WriteOutcome> {
    const stored = { ...attempt, by: { ...attempt.by, runId } };
    const outcome = await this.versions.accept(stored, { origin, current });
    const document = { version: outcome.version };
    await this.records.recordSent(stored, {
      document,
      base: document,
      runId,
      seenVersion: outcome.version,
    });
    return outcome;
  }

  private async merge(
    attempt: ClientAttempt,
    decision: Extract<Decision, { kind: 'merge' }>,
  ): Promise<WriteOutcome | Refusal> {
    const { base, others } = decision;
    const merged = await this.merges.merge(
      { ...attempt, by: { ...attempt.by, runId: base.runId } },
      decision,
    );
    if (!merged) {
      const error = stateErrors.TX_CONFLICT(others.join(','));
      return this.refuse(attempt, { kind: 'refuse', error, conflictsWith: others, base });
    }
    await this.records.recordMerged(attempt, base, merged.version);
    return merged;
  }

  private async refuse(
    attempt: ClientAttempt,
    decision: Extract<Decision, { kind: 'refuse' }>,
  ): Promise<Refusal> {
    await this.records.recordRefused(attempt, decision);
    const { id: stateId, tenantId } = attempt.state;
    return { stateId, tenantId, refusal: decision.error };
  }
}
