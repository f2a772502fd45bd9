import type { Secrets } from '../../../platform/crypto/secrets.js';
import type { AppError } from '../../../platform/errors/index.js';
import type { ChangesOfOthers, OthersChange } from '../merging/changes-of-others.js';
import { type ClientRun, recordedName } from './client-run.js';
import type { Comparisons } from './comparisons.js';
import type { DocumentChunks } from '../chunks/document-chunks.store.js';
import { chunkDifference, isDescriptive, type NodeChange } from '../publishing/document-difference.rules.js';
import { type ComparableDocument } from '../chunks/document-ref.js';
import type { StateEntity } from '../entities/state.entity.js';
import { instanceTexts } from '../publishing/instance-texts.js';
import { isSameObject, type PossibleMove, possibleMoves } from '../merging/moved-instance.rules.js';
import { stateErrors } from '../states.errors.js';
import type { PreparedDocument } from '../chunks/stored-documents.store.js';
import { type BaseCandidate } from './write-base.rules.js';
import { type DocumentRef, isSameDocument } from '../chunks/document-ref.js';

/** What a write is compared with. */
export interface WriteBase {
  base: DocumentRef;
  /** the run under which the write is logged */
  runId: string;
  seenVersion: number;
}

export type Decision =
  /** this client had these bytes accepted before, or they are the current version */
  | { kind: 'unchanged'; taken: WriteBase & { document: DocumentRef } }
  | { kind: 'absorb'; base: WriteBase }
  /** `current`: the document it replaces, when it was read */
  | { kind: 'store'; runId: string | undefined; current?: ComparableDocument }
  | { kind: 'merge'; base: WriteBase; changes: NodeChange[]; others: string[] }
  /** `base`: what the client's next write is compared with, if that is known */
  | { kind: 'refuse'; error: AppError; conflictsWith: string[]; base: WriteBase | undefined };

/** Instances and outputs that the current document gets, each with its content; undefined when nothing is accepted. */
export type Effect = ReadonlySet<string> | undefined;

/** Says what becomes of one document when it was made from a certain base. */
export class WriteComparison {
  readonly state: StateEntity;
  readonly next: PreparedDocument;
  readonly comparisons: Comparisons;
  readonly others: ChangesOfOthers;

  constructor(
    private readonly write: { state: StateEntity; next: PreparedDocument; run?: ClientRun },
    private readonly stored: { comparisons: Comparisons; others: ChangesOfOthers; chunks: DocumentChunks },
    private readonly secrets: Secrets,
  ) {
    this.state = write.state;
    this.next = write.next;
    this.comparisons = stored.comparisons;
    this.others = stored.others;
  }

  /** @param candidate what the document was made from; `isKnown`: by this very run, not by one that may be it */
  async decideOn(candidate: BaseCandidate, { isKnown }: { isKnown: boolean }): Promise<Decision> {
    const { state, next } = this;
    const base = this.baseOf(candidate, { isKnown });
    if (!base) return this.refusal(await this.others.after(candidate.seenVersion, undefined), undefined);
    if (next.serial > state.serial && isSameDocument(base.base, { version: state.version }))
      return { kind: 'store', runId: base.runId };
    return this.compare(base);
  }

  /** A write that this run, or one that may be it, had accepted before. */
  repeat(candidate: BaseCandidate, { isKnown }: { isKnown: boolean }): Decision {
    const base = this.baseOf(candidate, { isKnown });
    if (!base) throw new Error('an accepted document has a base');
    return { kind: 'unchanged', taken: { ...base, document: candidate.document } };
  }

  refusal(
    others: readonly OthersChange[],
    base: WriteBase | undefined,
  ): Extract<Decision, { kind: 'refuse' }> {
    const conflictsWith = transactionsOf(others);
    return { kind: 'refuse', error: stateErrors.TX_CONFLICT(conflictsWith.join(',')), conflictsWith, base };
  }

  /** Two decisions of one effect leave the same infrastructure described. */
  async effectOf(decision: Decision): Promise<Effect> {
    switch (decision.kind) {
      case 'refuse':
        return undefined;
      case 'unchanged':
      case 'absorb':
        return new Set();
      case 'merge':
        return effectOf(decision.changes);
      case 'store':
        return effectOf(await this.comparisons.changesSince({ version: this.state.version }));
    }
  }

  /** What becomes of the document when it was made from this base, whatever its serial says. */
  async compare(base: WriteBase): Promise<Decision> {
    const { state, next, comparisons } = this;
    const others = await this.others.after(base.seenVersion, base.runId);
    if (next.serial > state.serial && others.length === 0 && 'version' in base.base)
      return { kind: 'store', runId: base.runId };
    const changes = await comparisons.changesSince(base.base);
    const apart = await comparisons.changesSince({ version: state.version });
    if (!changes || !apart || state.graphError !== null || next.graphError !== undefined)
      return this.refusal(others, base);
    const current = new Map(apart.map((change) => [change.key, change]));
    // What the writer wants may be there already, whoever brought it.
    const missing = changes.filter((change) => current.has(change.key));
    // The writer did not know the current content of these.
    const overlapping = missing.filter(
      (change) => !isDescriptive(change) && change.hashBefore !== current.get(change.key)?.hashBefore,
    );
    if (overlapping.length > 0) return this.refusal(changesOf(others, overlapping), base);
    const moved = await this.movedTwice(base.base, { changes, apart, others });
    if (moved.length > 0) return this.refusal(changesOf(others, moved), base);
    if (missing.length === 0) return this.absorption(base, others);
    return { kind: 'merge', base, changes: missing, others: transactionsOf(others) };
  }

  /**
   * Instances that both the writer and others removed, at least one of them by moving the object to another address:
   * two moves would leave one object at two addresses, a move and a removal an address without an object.
   */
  private async movedTwice(
    base: DocumentRef,
    {
      changes,
      apart,
      others,
    }: { changes: readonly NodeChange[]; apart: readonly NodeChange[]; others: readonly OthersChange[] },
  ): Promise<NodeChange[]> {
    const mine = new Set(changes.map(({ key }) => key));
    const differing = new Set(apart.map(({ key }) => key));
    const removed = changes.filter(({ key, op }) => op === 'r' && !differing.has(key));
    // An object may have moved to an address where another one was.
    const brought = {
      mine: changes.filter(({ key, op }) => op !== 'r' && differing.has(key)),
      theirs: apart.filter(({ key, op }) => op !== 'a' && !mine.has(key)),
    };
    const moves = possibleMoves(removed, brought, others);
    if (moves.length === 0) return [];
    const texts = await this.textsOf(base, moves);
    return moves
      .filter(({ removed: { key }, destinations }) => {
        const isIt = (text: string | undefined) => isSameObject(texts.removed.get(key), text);
        return (
          destinations.mine.some((destination) => isIt(texts.mine.get(destination))) ||
          destinations.theirs.some((destination) => isIt(texts.theirs.get(destination)))
        );
      })
      .map((move) => move.removed);
  }

  /** The instances' text where each of them stands: an address may have another text in each document. */
  private async textsOf(base: DocumentRef, moves: readonly PossibleMove[]) {
    const { state, next, comparisons } = this;
    const before = (await comparisons.document(base))?.hashes ?? [];
    const current = (await comparisons.document({ version: state.version }))?.hashes ?? [];
    const { gone, come } = chunkDifference(current, next.hashes);
    const read = (hashes: Iterable<string>, keys: readonly string[]) =>
      instanceTexts(this.stored.chunks, state.id, [...hashes], new Set(keys));
    return {
      removed: await read(
        chunkDifference(before, next.hashes).gone,
        moves.map(({ removed }) => removed.key),
      ),
      mine: await read(
        come,
        moves.flatMap(({ destinations }) => destinations.mine),
      ),
      theirs: await read(
        gone,
        moves.flatMap(({ destinations }) => destinations.theirs),
      ),
    };
  }

  /** Only a document that was merged ties a run to what it wrote before. */
  private baseOf(
    { base, runId, seenVersion }: BaseCandidate,
    { isKnown }: { isKnown: boolean },
  ): WriteBase | undefined {
    if (!base) return undefined;
    return { base, runId: isKnown && 'submission' in base ? runId : this.secrets.uuid(), seenVersion };
  }

  /**
   * The writer brings nothing that is not there. The document of a run without a name must not have the serial of a
   * version, or a later reader of that version could pass for this run: then the state gets a higher serial.
   */
  private absorption(base: WriteBase, others: readonly OthersChange[]): Decision {
    const { run } = this.write;
    if (!run || recordedName(run) !== undefined || this.next.serial < this.state.serial)
      return { kind: 'absorb', base };
    return { kind: 'merge', base, changes: [], others: transactionsOf(others) };
  }
}

/** Undefined: the documents cannot be taken apart, and all of the new one counts. */
function effectOf(changes: readonly NodeChange[] | undefined): Effect {
  if (!changes) return new Set(['*']);
  return new Set(
    changes.filter((change) => !isDescriptive(change)).map(({ key, hash }) => `${key} ${hash ?? 'removed'}`),
  );
}

function transactionsOf(others: readonly OthersChange[]): string[] {
  return [...new Set(others.map((change) => change.tx_id))];
}

/** The changes of others to these nodes, or all of them where the log does not tell. */
function changesOf(others: readonly OthersChange[], nodes: readonly NodeChange[]): readonly OthersChange[] {
  const keys = new Set(nodes.map(({ key }) => key));
  const found = others.filter(({ key }) => keys.has(key));
  return found.length > 0 ? found : others;
}
