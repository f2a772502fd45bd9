/** A document a client has read or sent, with the base its next write would have. */
export interface BaseCandidate {
  kind: 'read' | 'sent' | 'refused';
  runId: string;
  connection: string;
  address: string;
  serial: number;
  document: DocumentRef;
  base: DocumentRef;
  /** the newest version whose changes the run has seen */
  seenVersion: number;
  /** milliseconds */
  at: number;
}

/** A version, or a submission that did not become one as it came. */
export type DocumentRef = { version: number } | { submission: string };

export function sameDocument(a: DocumentRef, b: DocumentRef): boolean {
  return nameOf(a) === nameOf(b);
}

/** One for each document of a state. */
export function nameOf(ref: DocumentRef): string {
  return 'version' in ref ? String(ref.version) : ref.submission;
}

/**
 * The candidates among which the smallest difference decides (http-backend-protocol.md, "The lost update", point 2):
 * documents with the serial before the incoming one that this connection got or sent, when it is the client's own;
 * otherwise those that look-alikes got or sent. When a connection of its own has none, also what it had last: gaps
 * upward are legal, and a stranger's document with the fitting serial must not pass for the writer's base. When there
 * is nothing of either, any accepted document with a lower serial.
 */
export function plausibleBases(
  candidates: readonly BaseCandidate[],
  run: { connection: string; direct: boolean },
  serial: number,
): BaseCandidate[] {
  const own = candidates.filter((candidate) => candidate.connection === run.connection);
  const preceding = (list: readonly BaseCandidate[]) =>
    list.filter((candidate) => candidate.serial === serial - 1);
  const lower = (list: readonly BaseCandidate[]) =>
    list.filter((candidate) => candidate.kind !== 'refused' && candidate.serial < serial);
  if (preceding(own).length > 0) return distinct(preceding(run.direct ? own : candidates));
  if (hasSeenBeyond(own, run, serial)) return [];
  // A connection of its own is one run: what it had last is what it stands on.
  const before = run.direct ? newest(lower(own)) : lower(own);
  const fitting = new Set([...preceding(candidates), ...before]);
  return distinct(fitting.size > 0 ? [...fitting] : lower(candidates));
}

/**
 * The client's own connection saw documents, and none older than the one it sends: an old document is pushed over a
 * newer one on purpose, and what others saw is no base of it.
 */
export function hasSeenBeyond(
  own: readonly BaseCandidate[],
  run: { direct: boolean },
  serial: number,
): boolean {
  return run.direct && own.length > 0 && own.every((candidate) => candidate.serial >= serial);
}

function newest(candidates: readonly BaseCandidate[]): BaseCandidate[] {
  return [...candidates].sort((a, b) => b.at - a.at).slice(0, 1);
}

/**
 * Those with the smallest difference. First, over a connection of the client's own, what it had last; otherwise the one
 * that has seen least, because refusing loses nothing.
 */
export function closest<T extends BaseCandidate>(
  measured: readonly { candidate: T; difference: number }[],
  direct = false,
): T[] {
  const least = Math.min(...measured.map(({ difference }) => difference));
  return measured
    .filter(({ difference }) => difference === least)
    .map(({ candidate }) => candidate)
    .sort((a, b) => (direct ? b.at - a.at : 0) || a.seenVersion - b.seenVersion || a.at - b.at);
}

/**
 * The same document got and sent: the reading stands for both. A run's own versions after its base would not count as
 * others', and a look-alike that only read the document must not inherit that.
 */
function distinct(candidates: readonly BaseCandidate[]): BaseCandidate[] {
  const kept: BaseCandidate[] = [];
  for (const candidate of candidates) {
    const index = kept.findIndex((other) => sameDocument(other.document, candidate.document));
    if (index === -1) kept.push(candidate);
    else if (candidate.kind === 'read') kept[index] = candidate;
  }
  return kept;
}
