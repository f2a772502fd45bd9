import { Injectable } from '@nestjs/common';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { ChangesOfOthers } from '../merging/changes-of-others.js';
import { unpackHashes } from '../chunks/chunk-list.js';
import { ClientBases, type LooseCandidate, MAX_CANDIDATES } from './client-bases.store.js';
import { ClientConnections } from './client-connections.js';
import { type ClientRun, lockName } from './client-run.js';
import { DocumentChunks } from '../chunks/document-chunks.store.js';
import { Comparisons } from './comparisons.js';
import type { StateEntity } from '../entities/state.entity.js';
import { stateErrors } from '../states.errors.js';
import { StoredDocuments } from '../chunks/stored-documents.store.js';
import type { ClientAttempt, WriteAttempt } from './write-attempt.js';
import { agreementOf, type Hypothesis, isProperPart } from './write-agreement.rules.js';
import {
  acceptedByRun,
  type BaseCandidate,
  basesOfHolder,
  basesOfRun,
  distinctDocuments,
  haveOneBase,
  withoutAcceptedRepeats,
} from './write-base.rules.js';
import { nameOf } from '../chunks/document-ref.js';
import { type Decision, type Effect, WriteComparison } from './write-comparison.js';

/** A refused document stands for a run that may come back over another connection for so long. */
const REFUSAL_STANDS_MS = 3600 * 1000;

/** Decides what becomes of a posted document (http-backend-protocol.md, "The lost update"). The state is locked. */
@Injectable()
export class WriteDecisions {
  constructor(
    private readonly work: UnitOfWork,
    private readonly documents: StoredDocuments,
    private readonly bases: ClientBases,
    private readonly connections: ClientConnections,
    private readonly chunks: DocumentChunks,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async decide(attempt: ClientAttempt, { force }: { force: boolean }): Promise<Decision> {
    const { state, next, run } = attempt;
    if (force || state.version === 0) return { kind: 'store', runId: undefined };
    const current = await this.documents.version(state.id, state.version);
    if (current?.serial === next.serial && next.md5 && current.md5?.equals(next.md5)) {
      const document = { version: state.version };
      const runId = this.secrets.uuid();
      return { kind: 'unchanged', taken: { document, base: document, runId, seenVersion: state.version } };
    }
    if (next.lineage !== state.lineage)
      return { kind: 'refuse', error: stateErrors.LINEAGE_MISMATCH(), conflictsWith: [], base: undefined };
    const replaced = current && { hashes: unpackHashes(current.chunks), frame: current.frame };
    const comparison = this.comparison(attempt);
    if (replaced) comparison.comparisons.add({ version: state.version }, replaced);
    const decision = (await this.ofKnownRun(comparison, run)) ?? (await this.ofUnknownRun(comparison, run));
    return decision.kind === 'store' && replaced ? { ...decision, current: replaced } : decision;
  }

  /** Decides about a document whose writer started from a certain version. */
  async decideOnVersion(attempt: WriteAttempt, version: number): Promise<Decision> {
    const { runId } = attempt.by;
    return this.comparison(attempt).compare({ base: { version }, runId, seenVersion: version });
  }

  private comparison(attempt: WriteAttempt & { run?: ClientRun }): WriteComparison {
    const { state, next, source } = attempt;
    const comparisons = new Comparisons(this.documents, state.id, next, source);
    const others = new ChangesOfOthers(this.work, state.id);
    return new WriteComparison(attempt, { comparisons, others, chunks: this.chunks }, this.secrets);
  }

  /** Undefined when nothing of what this run read or sent is known. */
  private async ofKnownRun(comparison: WriteComparison, run: ClientRun): Promise<Decision | undefined> {
    const { state, next } = comparison;
    const { lockId } = run;
    const held = lockId === undefined ? [] : await this.ofHolder(state, { ...run, lockId });
    if (held.length > 0) {
      const isOwn = (candidate: BaseCandidate) => isOfHolder(candidate, run, held);
      return this.ofRun(comparison, held.filter(isOwn), basesOfHolder(held, isOwn, next.serial));
    }
    const rows = await this.ofName(state, run);
    return rows.length === 0 ? undefined : this.ofRun(comparison, rows, basesOfRun(rows, next.serial));
  }

  private async ofRun(
    comparison: WriteComparison,
    own: readonly BaseCandidate[],
    found: readonly BaseCandidate[],
  ): Promise<Decision> {
    const bases = await this.withoutAcceptedRepeats(comparison, found);
    const isKnown = haveOneBase(bases);
    const [repeated] = await this.repeated(comparison, acceptedByRun(own, comparison.next.serial));
    if (repeated) return comparison.repeat(repeated, { isKnown: true });
    if (bases.length === 0) return this.notNewer();
    return this.agreement(
      comparison,
      bases.slice(0, isKnown ? 1 : undefined).map((candidate) => ({ candidate, isRepeat: false })),
      { isKnown },
    );
  }

  private async ofName(state: StateEntity, run: ClientRun): Promise<BaseCandidate[]> {
    const named = run.name === undefined ? [] : await this.bases.byName(state.id, run.credential, run.name);
    if (named.length > 0 || run.connection === undefined) return named;
    return this.bases.byConnection(state.id, run.credential, run.connection);
  }

  private async ofHolder(state: StateEntity, run: ClientRun & { lockId: string }): Promise<BaseCandidate[]> {
    const found = await this.bases.byLock(state.id, run);
    if (!found.some(({ runName }) => runName === lockName(run.lockId))) return [];
    const open = new Set(this.connections.openFor(run.credential));
    const isOpen = ({ connection }: BaseCandidate) => connection !== undefined && open.has(connection);
    return found.filter((candidate) => isOfHolder(candidate, run, found) || !isOpen(candidate));
  }

  /** All runs that it may be must come to the same; the nearest document proves nothing. */
  private async ofUnknownRun(comparison: WriteComparison, run: ClientRun): Promise<Decision> {
    const { state, next } = comparison;
    const open = this.connections.openFor(run.credential).filter((id) => id !== run.connection);
    const loose = (await this.bases.loose(state.id, run, next.serial, open)).filter((candidate) =>
      this.isStanding(candidate),
    );
    const isHere = (candidate: LooseCandidate) => candidate.address === run.address && !candidate.isOpen;
    const preceding = loose.filter(({ serial }) => serial === next.serial - 1);
    const here = preceding.filter(isHere);
    const repeats = await this.repeated(
      comparison,
      loose.filter(
        (candidate) => candidate.kind === 'sent' && candidate.serial === next.serial && !candidate.isOpen,
      ),
    );
    // The answer to a refused document may have been lost: the document still stands on what it was made from.
    const refused = await this.repeated(
      comparison,
      loose.filter(
        (candidate) =>
          candidate.kind === 'refused' &&
          candidate.serial === next.serial &&
          candidate.base !== undefined &&
          candidate.connection !== undefined &&
          isHere(candidate),
      ),
    );
    const near = [...(here.length > 0 ? here : preceding), ...refused];
    const bases =
      near.length > 0 || repeats.length > 0 ? near : await this.bases.looseBefore(state.id, run, next.serial);
    const hypotheses = [
      ...distinctDocuments(bases).map((candidate) => ({ candidate, isRepeat: false })),
      ...repeats.slice(0, 1).map((candidate) => ({ candidate, isRepeat: true })),
    ];
    if (hypotheses.length === 0) return this.ofStranger(comparison, run);
    if (hypotheses.length > MAX_CANDIDATES) return comparison.refusal([], undefined);
    await comparison.comparisons.readAhead(bases.flatMap(({ base }) => base ?? []));
    const decision = await this.agreement(comparison, hypotheses, { isKnown: false });
    const doubtful =
      here.length > 0
        ? preceding.filter((candidate) => !isHere(candidate) && candidate.kind !== 'refused')
        : [];
    return this.doubted(comparison, decision, doubtful);
  }

  private async agreement(
    comparison: WriteComparison,
    hypotheses: readonly Hypothesis[],
    { isKnown }: { isKnown: boolean },
  ): Promise<Decision> {
    if (hypotheses.length > 1)
      await comparison.others.readSince(
        Math.min(...hypotheses.map(({ candidate }) => candidate.seenVersion)),
      );
    const results: { hypothesis: Hypothesis; decision: Decision; effect: Effect }[] = [];
    for (const hypothesis of hypotheses) {
      const { candidate, isRepeat } = hypothesis;
      const decision = isRepeat
        ? comparison.repeat(candidate, { isKnown })
        : await comparison.decideOn(candidate, { isKnown });
      if (hypotheses.length === 1) return decision;
      results.push({ hypothesis, decision, effect: await comparison.effectOf(decision) });
    }
    const seenVersion = Math.min(...hypotheses.map(({ candidate }) => candidate.seenVersion));
    const agreed = agreementOf(results);
    if (agreed) return this.onAnyOf(agreed, seenVersion);
    // A refused document that caused this has had its say: a client that reads again must get through.
    const refused = hypotheses.filter(({ candidate }) => candidate.kind === 'refused');
    await this.bases.remove(refused.map(({ candidate }) => candidate.id));
    return comparison.refusal(await comparison.others.after(seenVersion, undefined), undefined);
  }

  /** The base is any of several: the run has seen no more than the one that has seen least. */
  private onAnyOf(decision: Decision, seenVersion: number): Decision {
    switch (decision.kind) {
      case 'merge':
      case 'absorb':
        return { ...decision, base: { ...decision.base, runId: this.secrets.uuid(), seenVersion } };
      case 'refuse':
        return { ...decision, base: undefined };
      case 'store':
      case 'unchanged':
        return decision;
    }
  }

  /**
   * Documents that this run hardly stands on, because they came from another address or over a connection that is in
   * use: one that would explain the write with fewer changes is reason enough to refuse.
   */
  private async doubted(
    comparison: WriteComparison,
    decision: Decision,
    doubtful: readonly BaseCandidate[],
  ): Promise<Decision> {
    if (decision.kind === 'refuse' || doubtful.length === 0) return decision;
    const effect = await comparison.effectOf(decision);
    if (!effect || effect.size === 0) return decision;
    for (const candidate of distinctDocuments(doubtful)) {
      const other = await comparison.effectOf(await comparison.decideOn(candidate, { isKnown: false }));
      if (other && isProperPart(other, effect))
        return comparison.refusal(await comparison.others.after(candidate.seenVersion, undefined), undefined);
    }
    return decision;
  }

  /** Where the credential never had anything of the state, there is nobody to confuse its writer with. */
  private async ofStranger(comparison: WriteComparison, run: ClientRun): Promise<Decision> {
    const { state, next } = comparison;
    if (next.serial <= state.serial || (await this.bases.hasSeen(state.id, run.credential)))
      return this.notNewer();
    return { kind: 'store', runId: undefined };
  }

  /** Those of the documents that consist of the very bytes that came. */
  private async repeated<T extends BaseCandidate>(
    { state, next }: WriteComparison,
    accepted: readonly T[],
  ): Promise<T[]> {
    const { md5 } = next;
    if (!md5 || accepted.length === 0) return [];
    const checksums = await this.documents.checksums(
      state.id,
      accepted.map(({ document }) => document),
    );
    return accepted.filter(({ document }) => checksums.get(nameOf(document))?.equals(md5));
  }

  private async withoutAcceptedRepeats(
    { state }: WriteComparison,
    bases: readonly BaseCandidate[],
  ): Promise<readonly BaseCandidate[]> {
    const kinds = new Set(bases.map(({ kind }) => kind));
    if (!kinds.has('refused') || !kinds.has('sent')) return bases;
    const checksums = await this.documents.checksums(
      state.id,
      bases.map(({ document }) => document),
    );
    return withoutAcceptedRepeats(bases, checksums);
  }

  private notNewer(): Decision {
    return { kind: 'refuse', error: stateErrors.SERIAL_NOT_NEWER(), conflictsWith: [], base: undefined };
  }

  /**
   * Whether a document may still be what a run stands on. A refused one may until its run reads again. Whether it did is
   * known of a connection; behind a proxy any reading with the credential may be the run's.
   */
  private isStanding({ kind, connection, at, hasReadSince }: LooseCandidate): boolean {
    if (kind !== 'refused' || !hasReadSince) return true;
    return connection !== undefined && at >= this.clock.now().getTime() - REFUSAL_STANDS_MS;
  }
}

/** Whether a document came certainly from the holder of the lock: under its name, or over a connection of its own. */
function isOfHolder(
  { runName, connection }: BaseCandidate,
  run: ClientRun,
  held: readonly BaseCandidate[],
): boolean {
  const name = run.lockId === undefined ? undefined : lockName(run.lockId);
  if (runName !== undefined) return runName === name || runName === run.name;
  if (connection === undefined) return false;
  return (
    connection === run.connection ||
    held.some((other) => other.runName === name && other.connection === connection)
  );
}
