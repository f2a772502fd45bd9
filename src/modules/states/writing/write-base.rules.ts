import { type DocumentRef, nameOf } from '../chunks/document-ref.js';

/** A document a client has read or sent, with the base its next write would have. */
export interface BaseCandidate {
  id: string;
  kind: 'read' | 'sent' | 'refused';
  runId: string;
  runName: string | undefined;
  lockId: string | undefined;
  /** undefined when a proxy does not tell it */
  connection: string | undefined;
  address: string;
  serial: number;
  document: DocumentRef;
  /** undefined for a document that was refused because its base was not known */
  base: DocumentRef | undefined;
  /** the newest version whose changes the run has seen */
  seenVersion: number;
  /** order among all of the state */
  position: number;
  /** milliseconds */
  at: number;
}

/**
 * The base of a write of a known run, given all that the run read and sent: what it read or had accepted last. A client
 * raises the serial by one with each write, so a document with the serial before fits. One client has one such document
 * since it read; more than one is returned where an identity turns out to stand for several clients; then all must lead
 * to the same result.
 */
export function basesOfRun(own: readonly BaseCandidate[], serial: number): BaseCandidate[] {
  const live = withoutPastRefusals(own);
  const [last] = live;
  const preceding = distinctDocuments(live.filter((candidate) => candidate.serial === serial - 1));
  if (last?.serial === serial - 1)
    return last.kind === 'read' ? [last] : preceding.filter((candidate) => !isSetBack(candidate, live));
  if (preceding.length > 0) return preceding;
  return live.filter((candidate) => candidate.serial < serial).slice(0, 1);
}

/** A later read brought a lower serial: the state was set back by force, and its serials started again. */
function isSetBack({ position, serial }: BaseCandidate, live: readonly BaseCandidate[]): boolean {
  const read = live.find(({ kind }) => kind === 'read');
  return read !== undefined && position < read.position && serial > read.serial;
}

/**
 * The same for the holder of a lock. A GET does not name the lock, so that behind a proxy another run's read may look
 * like the holder's: `isOwn` says which of the documents are certainly the holder's.
 */
export function basesOfHolder(
  found: readonly BaseCandidate[],
  isOwn: (candidate: BaseCandidate) => boolean,
  serial: number,
): BaseCandidate[] {
  const own = found.filter(isOwn);
  if (own.length === found.length) return basesOfRun(own, serial);
  const live = [...withoutPastRefusals(own), ...found.filter((candidate) => !isOwn(candidate))];
  const preceding = live.filter((candidate) => candidate.serial === serial - 1);
  return distinctDocuments(
    preceding.length > 0 ? preceding : live.filter((candidate) => candidate.serial < serial),
  );
}

/**
 * Whether a write is compared with the same, whichever of the documents it was made from: a run that sends a refused
 * document again leaves several that were refused against one base.
 */
export function haveOneBase(candidates: readonly BaseCandidate[]): boolean {
  return new Set(candidates.map(comparisonOf)).size === 1;
}

/** What decides about a write that was made from this document. */
function comparisonOf({ base, runId, seenVersion }: BaseCandidate): string {
  if (!base) return `unknown ${seenVersion}`;
  return `${nameOf(base)} ${seenVersion} ${'submission' in base ? runId : ''}`;
}

/**
 * Drops refused documents whose very bytes the run had accepted when it sent them again. `checksums`: by name of the
 * document.
 */
export function withoutAcceptedRepeats(
  own: readonly BaseCandidate[],
  checksums: ReadonlyMap<string, Buffer | null>,
): BaseCandidate[] {
  const isRepeat = (refused: BaseCandidate, sent: BaseCandidate) => {
    const [before, after] = [checksums.get(nameOf(refused.document)), checksums.get(nameOf(sent.document))];
    return sent.position > refused.position && before != null && after?.equals(before) === true;
  };
  return own.filter(
    (candidate) =>
      candidate.kind !== 'refused' ||
      !own.some((other) => other.kind === 'sent' && isRepeat(candidate, other)),
  );
}

/** What a known run had accepted since it read last: the same bytes again are a retry of a lost answer. */
export function acceptedByRun(own: readonly BaseCandidate[], serial: number): BaseCandidate[] {
  const read = newestFirst(own).find(({ kind }) => kind === 'read');
  return own.filter(
    (candidate) =>
      candidate.kind === 'sent' &&
      candidate.serial === serial &&
      (read === undefined || candidate.position > read.position),
  );
}

/** A read ends the documents that its run was refused with before. Newest first. */
function withoutPastRefusals(own: readonly BaseCandidate[]): BaseCandidate[] {
  const sorted = newestFirst(own);
  const read = sorted.find(({ kind }) => kind === 'read');
  return sorted.filter(
    ({ kind, position }) => kind !== 'refused' || read === undefined || position > read.position,
  );
}

function newestFirst(candidates: readonly BaseCandidate[]): BaseCandidate[] {
  return [...candidates].sort((a, b) => b.position - a.position);
}

/** Each document once. */
export function distinctDocuments<T extends BaseCandidate>(candidates: readonly T[]): T[] {
  const kept = new Map<string, T>();
  for (const candidate of candidates) {
    const name = nameOf(candidate.document);
    if (!kept.has(name)) kept.set(name, candidate);
  }
  return [...kept.values()];
}
