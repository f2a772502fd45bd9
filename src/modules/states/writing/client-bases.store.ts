import { Injectable } from '@nestjs/common';
import { In, LessThan } from 'typeorm';
import { Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { type ClientRun, FORWARDED, lockName, recordedName } from './client-run.js';
import { StateBaseEntity } from '../entities/state-base.entity.js';
import type { BaseCandidate } from './write-base.rules.js';
import type { DocumentRef } from '../chunks/document-ref.js';

/** What a client's next write is to be compared with. */
export interface BaseEntry {
  kind: 'sent' | 'refused';
  runId: string;
  serial: number;
  document: DocumentRef;
  base: DocumentRef | undefined;
  seenVersion: number;
}

/** A document that a run may stand on that is not known. */
export interface LooseCandidate extends BaseCandidate {
  /** over a connection that its client uses at present */
  isOpen: boolean;
  /** the credential has read the state since */
  hasReadSince: boolean;
}

/** More documents than this with one serial are not compared. */
export const MAX_CANDIDATES = 50;
const FORGET_AFTER_MS = 7 * 24 * 3600 * 1000;
/** An address and port may belong to another client after this. */
const PORT_REUSE_MS = 3600 * 1000;

const COLUMNS = `b.id, b.kind, b.run_id AS "runId", b.run_name AS "runName", b.lock_id AS "lockId",
  b.connection, b.address, b.serial::float8 AS serial, b.document_version AS "documentVersion",
  b.document_submission AS "documentSubmission", b.base_version AS "baseVersion", b.base_submission AS "baseSubmission",
  b.seen_version AS "seenVersion", b.position::float8 AS position, b.at`;

/** Of a connection only the last row counts: its run stands on nothing else. Rows of named runs are theirs alone. */
const LOOSE = `b.state_id = $1 AND b.credential = $2 AND b.run_name IS NULL AND (b.connection IS NULL OR NOT EXISTS (
  SELECT FROM state_bases l WHERE l.state_id = b.state_id AND l.connection = b.connection AND l.credential = b.credential
    AND l.run_name IS NULL AND l.position > b.position))`;

const FLAGS = `coalesce(b.connection = ANY($4::text[]), false) AS "isOpen",
  b.kind = 'refused' AND EXISTS (SELECT FROM state_bases r WHERE r.state_id = b.state_id AND r.credential = b.credential
    AND r.kind = 'read' AND r.position > b.position) AS "hasReadSince"`;

/** What the clients of a state have read and sent. */
@Injectable()
export class ClientBases {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** A run read a version. `lockId`: the lock that its credential held at its address. */
  async recordRead(
    stateId: string,
    run: ClientRun,
    { version, serial }: { version: number; serial: number },
    lockId: string | undefined,
  ): Promise<void> {
    await this.work.query(
      `WITH again AS (UPDATE state_bases SET at = $9, position = nextval('state_base_positions')
                       WHERE state_id = $1 AND kind = 'read' AND credential = $2 AND connection IS NOT DISTINCT FROM $3 AND address = $4
                         AND document_version = $5 AND run_name IS NOT DISTINCT FROM $6 AND lock_id IS NOT DISTINCT FROM $10 RETURNING id)
       INSERT INTO state_bases (id, state_id, run_id, kind, run_name, lock_id, credential, address, connection, serial, document_version, base_version, seen_version, at)
       SELECT $7, $1, $7, 'read', $6, $10, $2, $4, $3, $8, $5, $5, $5, $9 WHERE NOT EXISTS (SELECT FROM again)`,
      [
        stateId,
        run.credential,
        run.connection ?? null,
        run.address,
        version,
        recordedName(run) ?? null,
        this.secrets.uuid(),
        serial,
        this.clock.now(),
        lockId ?? null,
      ],
    );
  }

  async record(stateId: string, run: ClientRun, entry: BaseEntry): Promise<void> {
    await this.work.manager.insert(StateBaseEntity, {
      id: this.secrets.uuid(),
      stateId,
      runId: entry.runId,
      kind: entry.kind,
      runName: recordedName(run) ?? null,
      lockId: null,
      credential: run.credential,
      address: run.address,
      connection: run.connection ?? null,
      serial: entry.serial,
      ...documentColumns(entry.document, 'document'),
      ...documentColumns(entry.base, 'base'),
      seenVersion: entry.seenVersion,
      at: this.clock.now(),
    });
  }

  /** What came under a name of a run, newest first. */
  async byName(stateId: string, credential: string, name: string): Promise<BaseCandidate[]> {
    return this.select(
      `SELECT ${COLUMNS} FROM state_bases b WHERE b.state_id = $1 AND b.credential = $2 AND b.run_name = $3
       ORDER BY b.position DESC LIMIT ${MAX_CANDIDATES}`,
      [stateId, credential, name],
    );
  }

  /** What came under a lock, and what was read while it was held and may be its holder's, newest first. */
  async byLock(stateId: string, run: ClientRun & { lockId: string }): Promise<BaseCandidate[]> {
    return this.select(
      `SELECT ${COLUMNS} FROM state_bases b WHERE b.state_id = $1 AND b.credential = $2
         AND (b.run_name = $3 OR (b.lock_id = $4 AND (b.run_name IS NULL OR b.run_name = $5)))
       ORDER BY b.position DESC LIMIT ${MAX_CANDIDATES}`,
      [stateId, run.credential, lockName(run.lockId), run.lockId, run.name ?? null],
    );
  }

  /** What came without a name over a connection, newest first. */
  async byConnection(stateId: string, credential: string, connection: string): Promise<BaseCandidate[]> {
    const rows = await this.select<BaseCandidate>(
      `SELECT ${COLUMNS} FROM state_bases b WHERE b.state_id = $1 AND b.credential = $2 AND b.run_name IS NULL AND b.connection = $3
       ORDER BY b.position DESC LIMIT ${MAX_CANDIDATES}`,
      [stateId, credential, connection],
    );
    const isPast = (rows[0]?.at ?? 0) < this.clock.now().getTime() - PORT_REUSE_MS;
    return connection.startsWith(FORWARDED) && isPast ? [] : rows;
  }

  /**
   * What a credential read and sent with this serial or the one before, in runs without a name, oldest first. Each
   * document is listed once for each kind, address, and for connections that are open.
   */
  async loose(
    stateId: string,
    run: ClientRun,
    serial: number,
    open: readonly string[],
  ): Promise<LooseCandidate[]> {
    return this.select<LooseCandidate>(
      `SELECT * FROM (
         SELECT DISTINCT ON (b.kind, b.address = $5, "isOpen", b.connection IS NULL, b.document_version, b.document_submission) ${COLUMNS}, ${FLAGS}
         FROM state_bases b WHERE ${LOOSE} AND b.serial IN ($3::bigint, $3::bigint - 1)
         ORDER BY b.kind, b.address = $5, "isOpen", b.connection IS NULL, b.document_version, b.document_submission, b.position) found
       ORDER BY position`,
      [stateId, run.credential, serial, open, run.address],
    );
  }

  /** The newest of the documents with any lower serial, where none has the serial before. */
  async looseBefore(stateId: string, run: ClientRun, serial: number): Promise<BaseCandidate[]> {
    return this.select(
      `SELECT * FROM (
         SELECT DISTINCT ON (b.document_version, b.document_submission) ${COLUMNS}
         FROM state_bases b WHERE ${LOOSE} AND b.serial < $3::bigint AND b.kind <> 'refused'
         ORDER BY b.document_version, b.document_submission, b.position) found
       ORDER BY position DESC LIMIT ${MAX_CANDIDATES + 1}`,
      [stateId, run.credential, serial],
    );
  }

  async hasSeen(stateId: string, credential: string): Promise<boolean> {
    return this.work.manager.existsBy(StateBaseEntity, { stateId, credential });
  }

  async remove(ids: readonly string[]): Promise<void> {
    if (ids.length > 0) await this.work.manager.delete(StateBaseEntity, { id: In([...ids]) });
  }

  /** A forced write set the serial back: what had these serials before must not pass for what has them from now on. */
  async retireSerials(stateId: string, serial: number): Promise<void> {
    await this.work.query(
      'UPDATE state_bases SET serial = -1 WHERE state_id = $1 AND run_name IS NULL AND serial >= $2',
      [stateId, serial],
    );
  }

  async forgetOld(): Promise<void> {
    await this.work.manager.delete(StateBaseEntity, {
      at: LessThan(new Date(this.clock.now().getTime() - FORGET_AFTER_MS)),
    });
  }

  private async select<T extends BaseCandidate = BaseCandidate>(
    sql: string,
    values: unknown[],
  ): Promise<T[]> {
    const rows = await this.work.query<StateBaseEntity & Omit<T, keyof BaseCandidate>>(sql, values);
    return rows.map((row) => ({ ...row, ...candidateOf(row) }) as unknown as T);
  }
}

function documentColumns<P extends 'document' | 'base'>(
  ref: DocumentRef | undefined,
  prefix: P,
): Record<`${P}Version`, number | null> & Record<`${P}Submission`, string | null> {
  const columns = {
    [`${prefix}Version`]: ref && 'version' in ref ? ref.version : null,
    [`${prefix}Submission`]: ref && 'submission' in ref ? ref.submission : null,
  };
  return columns as Record<`${P}Version`, number | null> & Record<`${P}Submission`, string | null>;
}

function refOf(version: number | null, submission: string | null): DocumentRef | undefined {
  if (submission !== null) return { submission };
  return version === null ? undefined : { version };
}

function candidateOf(row: StateBaseEntity): BaseCandidate {
  return {
    id: row.id,
    kind: row.kind,
    runId: row.runId,
    runName: row.runName ?? undefined,
    lockId: row.lockId ?? undefined,
    connection: row.connection ?? undefined,
    address: row.address,
    serial: row.serial,
    document: refOf(row.documentVersion, row.documentSubmission) ?? { version: 0 },
    base: refOf(row.baseVersion, row.baseSubmission),
    seenVersion: row.seenVersion,
    position: row.position,
    at: row.at.getTime(),
  };
}
