import { Injectable } from '@nestjs/common';
import { Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { Clock } from '../../platform/time/clock.js';
import type { AppError } from '../../platform/errors/index.js';
import { unpackHashes } from './chunk-list.js';
import { ChangesOfOthers, type OthersChange } from './changes-of-others.js';
import type { ChunkSource } from './chunk-source.js';
import { ClientBases, ClientRun } from './client-bases.store.js';
import { Comparisons } from './comparisons.js';
import type { ComparableDocument, NodeChange } from './document-difference.rules.js';
import type { StateEntity } from './entities/state.entity.js';
import { stateErrors } from './states.errors.js';
import { PreparedDocument, StoredDocuments } from './stored-documents.store.js';
import { EVERYTHING } from './version-publisher.js';
import {
  BaseCandidate,
  closest,
  hasSeenBeyond,
  nameOf,
  plausibleBases,
  sameDocument,
} from './write-base.rules.js';

/** A client that got no answer tries again within this. */
const RETRY_WINDOW_MS = 5 * 60_000;

/** What a write stands on. */
export type WriteBase = Pick<BaseCandidate, 'base' | 'runId' | 'seenVersion' | 'serial' | 'kind'>;

export type Decision =
  /** these bytes were taken before; they are what the asking connection stands on now */
  | { kind: 'unchanged'; taken: Pick<BaseCandidate, 'document' | 'base' | 'runId' | 'seenVersion'> }
  | { kind: 'absorb'; base: WriteBase }
  /** `current`: the document it replaces, when it was read */
  | { kind: 'store'; runId: string | undefined; current?: ComparableDocument }
  | { kind: 'merge'; base: WriteBase; changes: NodeChange[]; others: string[] }
  | { kind: 'refuse'; error: AppError; conflictsWith: string[]; base: WriteBase | undefined };

/** A document that is to be decided about, with what is known of where it may come from. */
interface Attempt {
  state: StateEntity;
  next: PreparedDocument;
  run: ClientRun;
  candidates: readonly BaseCandidate[];
  /** those of the same connection */
  own: readonly BaseCandidate[];
  /** all that comes under this name, or over this connection, is one run's */
  isRunKnown: boolean;
  comparisons: Comparisons;
  others: ChangesOfOthers;
}

/** Decides what becomes of a posted document (http-backend-protocol.md, "The lost update"). The state is locked. */
@Injectable()
export class WriteDecisions {
  constructor(
    private readonly work: UnitOfWork,
    private readonly documents: StoredDocuments,
    private readonly bases: ClientBases,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  async decide(
    state: StateEntity,
    next: PreparedDocument,
    run: ClientRun,
    source: ChunkSource,
    force: boolean,
  ): Promise<Decision> {
    if (force || state.version === 0) return { kind: 'store', runId: undefined };
    const current = await this.documents.version(state.id, state.version);
    if (current?.serial === next.serial && next.md5 && current.md5?.equals(next.md5))
      return {
        kind: 'unchanged',
        taken: {
          document: { version: state.version },
          base: { version: state.version },
          runId: this.secrets.uuid(),
          seenVersion: state.version,
        },
      };
    if (next.lineage !== state.lineage) {
      return { kind: 'refuse', error: stateErrors.LINEAGE_MISMATCH(), conflictsWith: [], base: undefined };
    }
    const candidates = await this.bases.candidates(state.id, run, next.serial);
    const own = candidates.filter((candidate) => candidate.connection === run.connection);
    const isRunKnown = run.name !== undefined || (run.direct && own.length > 0);
    const comparisons = new Comparisons(this.documents, state.id, next, source);
    const replaced = current && { hashes: unpackHashes(current.chunks), frame: current.frame };
    if (replaced) comparisons.add({ version: state.version }, replaced);
    const attempt: Attempt = {
      state,
      next,
      run,
      candidates,
      own,
      isRunKnown,
      comparisons,
      others: new ChangesOfOthers(this.work, state.id),
    };
    const decision = await this.attempt(attempt);
    return decision.kind === 'store' && replaced ? { ...decision, current: replaced } : decision;
  }

  private async attempt(attempt: Attempt): Promise<Decision> {
    const taken = await this.taken(attempt);
    if (taken === 'doubtful') return this.notNewer();
    if (taken) return { kind: 'unchanged', taken };
    const bases = await this.basesOf(attempt);
    const doubt = await this.doubt(attempt);
    if (doubt) return doubt;
    const [nearest, ...others] = bases;
    if (!nearest) return this.notNewer();
    // Whose it is remains open: then it is nobody's, and no run takes it for a write of its own.
    const base = others.length > 0 ? { ...nearest, runId: this.secrets.uuid() } : nearest;
    if (others.length > 0) await attempt.others.readSince(earliest(bases));
    const decision = await this.on(base, attempt);
    for (const other of others) {
      const rival = await this.on(other, attempt);
      if (rival.kind === 'refuse') return rival;
      if (outcomeOf(rival) !== outcomeOf(decision))
        return refusal(await this.changesOfOthers(attempt, base), base);
    }
    return decision;
  }

  private notNewer(): Decision {
    return { kind: 'refuse', error: stateErrors.SERIAL_NOT_NEWER(), conflictsWith: [], base: undefined };
  }

  /** What becomes of the document when it was made from this base. */
  private on(found: WriteBase, attempt: Attempt): Promise<Decision> {
    const { state, next } = attempt;
    // Only a document that was merged ties a run to what it wrote before; look-alikes may share a version they read.
    const base = 'submission' in found.base ? found : { ...found, runId: this.secrets.uuid() };
    if (next.serial > state.serial && sameDocument(base.base, { version: state.version }))
      return Promise.resolve({ kind: 'store', runId: base.runId });
    return this.compare(base, attempt);
  }

  private async compare(base: WriteBase, attempt: Attempt): Promise<Decision> {
    const { state, next, comparisons, isRunKnown } = attempt;
    const others = await this.changesOfOthers(attempt, base);
    if (next.serial > state.serial && others.length === 0 && 'version' in base.base)
      return { kind: 'store', runId: base.runId };
    const refused = refusal(others, base);
    const changes = await comparisons.changesSince(base.base);
    if (!changes || state.graphError !== null || next.graphError !== undefined) return refused;
    // Nothing changed against its base: only when the serial says so too, or a push of old content would be swallowed.
    if (changes.length === 0)
      return isRunKnown || (base.serial === next.serial - 1 && base.kind !== 'refused')
        ? { kind: 'absorb', base }
        : refused;
    const apart = await comparisons.changesSince({ version: state.version });
    if (!apart) return refused;
    const differing = new Set(apart.map((change) => change.key));
    // What the writer wants is there already, whoever brought it.
    if (changes.every((change) => !differing.has(change.key))) return { kind: 'absorb', base };
    const overlapping = overlap(changes, others, differing);
    if (overlapping.length > 0) return refusal(overlapping, base);
    // What both brought is there already, perhaps in a chunk that both documents share.
    const missing = changes.filter((change) => differing.has(change.key));
    return { kind: 'merge', base, changes: missing, others: transactionsOf(others) };
  }

  /** Everything committed since the run last saw the state, but for what it wrote itself. */
  private changesOfOthers({ others }: Attempt, base: WriteBase): Promise<OthersChange[]> {
    return others.after(base.seenVersion, 'submission' in base.base ? base.runId : undefined);
  }

  /**
   * The same bytes came before and were taken: the answer was lost on its way. Who has read the state over the same
   * connection since means what he sends: a push of an old document. Behind a proxy anybody's reading may be the
   * writer's; unless he comes back soon it is refused, for such a push must not be answered as if it were stored.
   */
  private async taken({
    state,
    next,
    run,
    candidates,
  }: Attempt): Promise<BaseCandidate | 'doubtful' | undefined> {
    const isShared = !run.direct && run.name === undefined;
    const readings = candidates.filter(
      ({ kind, connection }) => kind === 'read' && connection === run.connection && (run.direct || isShared),
    );
    const lastReading = Math.max(0, ...readings.map((candidate) => candidate.at));
    const isRead = ({ at }: BaseCandidate) => at < lastReading;
    const { md5 } = next;
    const sent = candidates.filter(
      (candidate) =>
        candidate.kind === 'sent' && candidate.serial === next.serial && !(isRead(candidate) && run.direct),
    );
    if (!md5 || sent.length === 0) return undefined;
    const checksums = await this.documents.checksums(
      state.id,
      sent.map(({ document }) => document),
    );
    const same = sent.find(({ document }) => checksums.get(nameOf(document))?.equals(md5));
    if (!same) return undefined;
    const age = this.clock.now().getTime() - same.at;
    return isRead(same) && isShared && age > RETRY_WINDOW_MS ? 'doubtful' : same;
  }

  /**
   * Behind a proxy nobody can tell whether a write goes on from a document that was refused there. When it would be
   * refused again as that run's next one, it is: refusing loses nothing, and its serial says that it may be.
   */
  private async doubt(attempt: Attempt): Promise<Decision | undefined> {
    const { next, run, candidates, isRunKnown } = attempt;
    if (isRunKnown) return undefined;
    const refused = plausibleBases(candidates, run, next.serial).filter(
      (candidate) => candidate.kind === 'refused' && candidate.address === run.address,
    );
    if (refused.length > 1) {
      await attempt.comparisons.readAhead(refused.map(({ base }) => base));
      await attempt.others.readSince(earliest(refused));
    }
    for (const candidate of refused) {
      const decision = await this.compare(candidate, attempt);
      if (decision.kind === 'refuse') return decision;
    }
    return undefined;
  }

  /** What the document was made from; more than one when nothing tells them apart, and then all must come to the same. */
  private async basesOf(attempt: Attempt): Promise<WriteBase[]> {
    const { state, next, run, candidates, own, isRunKnown, comparisons } = attempt;
    const known = run.name === undefined ? undefined : await this.bases.ofRun(state.id, run.name);
    if (known) return [known];
    const plausible = plausibleBases(candidates, run, next.serial);
    if (plausible.length === 1) return plausible;
    await comparisons.readAhead(plausible.map(({ document }) => document));
    const measured = [];
    for (const candidate of plausible) {
      const changes = await comparisons.changesSince(candidate.document);
      measured.push({ candidate, difference: changes?.length ?? Number.MAX_SAFE_INTEGER });
    }
    if (hasSeenBeyond(own, run, next.serial)) return [];
    const near = closest(measured, run.direct);
    if (near.length > 0) return isRunKnown ? near.slice(0, 1) : near;
    const stranger = await this.baseOfStranger(state, next);
    return stranger ? [stranger] : [];
  }

  /** Nothing is known of the writer: its serial says which version it must have had in hand. */
  private async baseOfStranger(state: StateEntity, next: PreparedDocument): Promise<WriteBase | undefined> {
    const preceding = await this.documents.bySerial(state.id, next.serial - 1);
    const version = preceding?.version ?? (next.serial > state.serial ? state.version : undefined);
    return version === undefined
      ? undefined
      : {
          base: { version },
          runId: EVERYTHING,
          seenVersion: version,
          serial: preceding?.serial ?? state.serial,
          kind: 'read',
        };
  }
}

function earliest(bases: readonly WriteBase[]): number {
  return Math.min(...bases.map(({ seenVersion }) => seenVersion));
}

/** Two decisions of one outcome leave the same document. */
function outcomeOf(decision: Decision): string {
  if (decision.kind !== 'merge') return decision.kind;
  return decision.changes
    .map(({ key, hash }) => `${key} ${hash ?? 'removed'}`)
    .sort()
    .join();
}

function transactionsOf(others: readonly OthersChange[]): string[] {
  return [...new Set(others.map((change) => change.tx_id))];
}

function refusal(others: readonly OthersChange[], base: WriteBase): Extract<Decision, { kind: 'refuse' }> {
  const conflictsWith = transactionsOf(others);
  return { kind: 'refuse', error: stateErrors.TX_CONFLICT(conflictsWith.join(',')), conflictsWith, base };
}

/** Changes of others to what the writer changed too, unless both left it the same. */
function overlap(
  changes: readonly NodeChange[],
  others: readonly OthersChange[],
  differing: ReadonlySet<string>,
): OthersChange[] {
  const mine = new Set(changes.map((change) => change.key));
  return others.filter(({ key }) => key === EVERYTHING || (mine.has(key) && differing.has(key)));
}
