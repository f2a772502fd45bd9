import { Injectable, Logger } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { storableText } from '../../../platform/database/storable-text.js';
import { Events } from '../../../platform/events/index.js';
import type { CheckResultRow, OutputRow } from '../../documents/index.js';
import { ChangeSet, completeChangeSet, difference, incrementalChangeSet } from './change-set.js';
import type { ChunkSource } from './chunk-source.js';
import { DuplicateInstance, EVERYTHING, NodeChange } from './document-difference.rules.js';
import { ComparableDocument } from '../chunks/document-ref.js';
import { GRAPH_FORMAT, type StateEntity } from '../entities/state.entity.js';
import { StateWritten } from './state-written.event.js';
import type { Authorship, PreparedDocument } from '../chunks/stored-documents.store.js';

const ROWS_AN_INSERT = 2000;

/** Outputs and check results of the new version. */
export interface FrameRows {
  outputs: OutputRow[];
  checkResults: CheckResultRow[];
}

/** Decomposes a new version: announces its change set to the graph and writes the change log. */
@Injectable()
export class VersionPublisher {
  private readonly logger = new Logger('VersionPublisher');

  constructor(
    private readonly work: UnitOfWork,
    private readonly events: Events,
  ) {}

  /** Returns why there is no graph, or undefined. A document is never refused because it cannot be decomposed. */
  async publish(
    state: StateEntity,
    {
      version,
      before,
      after,
      source,
      by,
    }: {
      version: number;
      before: ComparableDocument;
      after: PreparedDocument & FrameRows;
      source: ChunkSource;
      by: Authorship;
    },
  ): Promise<string | undefined> {
    const hadGraph = state.version > 0 && state.graphError === null && state.graphFormat === GRAPH_FORMAT;
    let failure = after.graphError;
    let set: ChangeSet | undefined;
    if (failure === undefined) {
      try {
        set = await this.changeSet(state, { hadGraph, before, after, source });
      } catch (error) {
        if (!(error instanceof DuplicateInstance)) throw error;
        failure = error.message;
      }
    }
    if (set) failure = await this.attempt(state, { version, before, after, set });
    if (failure !== undefined)
      await this.publishWritten(state, { version, before, after, set: undefined, graphError: failure });
    const everything = failure !== undefined || (set?.reset && state.version > 0);
    await this.log(state.id, version, everything ? undefined : set?.changes, by);
    return failure;
  }

  /** Makes the rows of the current document again. Returns why there is no graph, or undefined. */
  async replay(
    state: StateEntity,
    document: PreparedDocument & FrameRows,
    source: ChunkSource,
  ): Promise<string | undefined> {
    const set = completeChangeSet(document, source, { log: false });
    const failure =
      document.graphError ??
      (await this.attempt(state, { version: state.version, before: document, after: document, set }));
    if (failure !== undefined)
      await this.publishWritten(state, {
        version: state.version,
        before: document,
        after: document,
        set: undefined,
        graphError: failure,
      });
    return failure;
  }

  private async changeSet(
    state: StateEntity,
    {
      hadGraph,
      before,
      after,
      source,
    }: { hadGraph: boolean; before: ComparableDocument; after: ComparableDocument; source: ChunkSource },
  ): Promise<ChangeSet> {
    if (!hadGraph) return completeChangeSet(after, source, { log: state.version === 0 });
    const changes = await difference(before, after, source);
    return changes
      ? incrementalChangeSet(changes, before, after, source)
      : completeChangeSet(after, source, { log: false });
  }

  private async attempt(
    state: StateEntity,
    {
      version,
      before,
      after,
      set,
    }: { version: number; before: ComparableDocument; after: PreparedDocument & FrameRows; set: ChangeSet },
  ): Promise<string | undefined> {
    await this.work.query('SAVEPOINT decomposition');
    try {
      await this.publishWritten(state, { version, before, after, set, graphError: undefined });
      await this.work.query('RELEASE SAVEPOINT decomposition');
      return undefined;
    } catch (error) {
      await this.work.query('ROLLBACK TO SAVEPOINT decomposition');
      const code = sqlStateOf(error);
      this.logger.warn({
        msg: 'a document could not be decomposed',
        stateId: state.id,
        version,
        code,
        kind: error instanceof Error ? error.name : typeof error,
      });
      return code === '23505'
        ? 'an instance appears more than once'
        : `the document could not be decomposed (${code ?? 'internal error'})`;
    }
  }

  private async publishWritten(
    state: StateEntity,
    {
      version,
      before,
      after,
      set,
      graphError,
    }: {
      version: number;
      before: ComparableDocument;
      after: PreparedDocument & FrameRows;
      set: ChangeSet | undefined;
      graphError: string | undefined;
    },
  ): Promise<void> {
    const reset = set?.reset ?? true;
    const outputs =
      reset || !sameNames(before.frame.outputs, after.frame.outputs) ? after.outputs : undefined;
    const checks =
      reset || !sameNames(before.frame.checks, after.frame.checks) ? after.checkResults : undefined;
    await this.events.publish(
      new StateWritten({
        stateId: state.id,
        tenantId: state.tenantId,
        version,
        reset,
        graphError,
        topologyChanged: set?.topologyChanged ?? true,
        outputs,
        checkResults: checks,
        batches: set?.batches ?? none,
      }),
    );
  }

  private async log(
    stateId: string,
    version: number,
    changes: NodeChange[] | undefined,
    by: Authorship,
  ): Promise<void> {
    const rows = changes ?? [{ key: EVERYTHING, op: 'c' as const, address: '*' }];
    for (let at = 0; at < rows.length; at += ROWS_AN_INSERT) {
      const part = rows.slice(at, at + ROWS_AN_INSERT);
      await this.work.query(
        `INSERT INTO state_changes (state_id, version, key, op, address, tx_id, run_id)
         SELECT $1, $2, k, o::"char", a, t, $4 FROM unnest($5::uuid[], $6::text[], $7::text[], $3::uuid[]) AS c (k, o, a, t)`,
        [
          stateId,
          version,
          part.map((row) => by.txOf?.get(row.key) ?? by.txId),
          by.runId,
          part.map((row) => row.key),
          part.map((row) => row.op),
          part.map((row) => storableText(row.address)),
        ],
      );
    }
  }
}

async function* none(): AsyncGenerator<never> {
  // a document without a graph has no instances
}

function sameNames(a: Record<string, string>, b: Record<string, string>): boolean {
  const others = new Map(Object.entries(b));
  const names = Object.entries(a);
  return names.length === others.size && names.every(([name, hash]) => others.get(name) === hash);
}

function sqlStateOf(error: unknown): string | undefined {
  const code =
    (error as { code?: unknown; driverError?: { code?: unknown } }).code ??
    (error as { driverError?: { code?: unknown } }).driverError?.code;
  return typeof code === 'string' && /^[0-9A-Z]{5}$/.test(code) ? code : undefined;
}
