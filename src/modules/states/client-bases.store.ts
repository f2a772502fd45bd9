import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { Secrets } from '../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { Clock } from '../../platform/time/clock.js';
import { StateBaseEntity } from './entities/state-base.entity.js';
import type { BaseCandidate, DocumentRef } from './write-base.rules.js';

/** How a request of the backend is told apart from others (http-backend-protocol.md, "Run"). */
export interface ClientRun {
  /** `lock:<id>` or `tx:<id>`: known exactly */
  name: string | undefined;
  /** transaction the run belongs to, when it names one */
  txId: string | undefined;
  credential: string;
  /** remote address, or what a proxy forwarded */
  address: string;
  /** one TCP connection; behind a proxy the same for all its requests from one address */
  connection: string;
  /** the connection is the client's own, so that what it carries is one run */
  direct: boolean;
}

const NEWEST = 50;
const FORGET_AFTER_MS = 7 * 24 * 3600 * 1000;

/** What the clients of a state have read and sent. */
@Injectable()
export class ClientBases {
  constructor(
    private readonly work: UnitOfWork,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /**
   * A run read a version. What was refused over the same connection stays a candidate: a pooling proxy may carry several
   * runs over one, and a run that really read again differs less from what it read.
   */
  async read(stateId: string, run: ClientRun, version: number, serial: number): Promise<void> {
    await this.work.query(
      `WITH again AS (UPDATE state_bases SET at = $9 WHERE state_id = $1 AND kind = 'read' AND credential = $2 AND connection = $3
                        AND address = $4 AND document_version = $5 AND run_name IS NOT DISTINCT FROM $6 RETURNING id)
       INSERT INTO state_bases (id, state_id, run_id, kind, run_name, credential, address, connection, serial, document_version, base_version, seen_version, at)
       SELECT $7, $1, $7, 'read', $6, $2, $4, $3, $8, $5, $5, $5, $9 WHERE NOT EXISTS (SELECT FROM again)`,
      [
        stateId,
        run.credential,
        run.connection,
        run.address,
        version,
        run.name ?? null,
        this.secrets.uuid(),
        serial,
        this.clock.now(),
      ],
    );
  }

  async record(
    stateId: string,
    run: ClientRun,
    entry: {
      kind: 'sent' | 'refused';
      runId: string;
      serial: number;
      document: DocumentRef;
      base: DocumentRef;
      seenVersion: number;
    },
  ): Promise<void> {
    await this.work.manager.insert(StateBaseEntity, {
      id: this.secrets.uuid(),
      stateId,
      runId: entry.runId,
      kind: entry.kind,
      runName: run.name ?? null,
      credential: run.credential,
      address: run.address,
      connection: run.connection,
      serial: entry.serial,
      ...documentColumns(entry.document, 'document'),
      ...documentColumns(entry.base, 'base'),
      seenVersion: entry.seenVersion,
      at: this.clock.now(),
    });
  }

  /** What a run that is known exactly stands on: the last document it read or had accepted. */
  async ofRun(stateId: string, runName: string): Promise<BaseCandidate | undefined> {
    const rows = await this.work.manager.find(StateBaseEntity, {
      where: [
        { stateId, runName, kind: 'sent' },
        { stateId, runName, kind: 'read' },
      ],
      order: { at: 'DESC' },
      take: 1,
    });
    return rows[0] && candidateOf(rows[0]);
  }

  /**
   * What a document with this serial may have been made from, newest first: what the same credential got or sent with
   * the serial before it or with the same one, whatever the address (a run may come back from another), each document
   * once however often it was read; and what came lately over the same connection. When none has the serial before it,
   * what was taken with any lower one.
   */
  async candidates(stateId: string, run: ClientRun, serial: number): Promise<BaseCandidate[]> {
    const near = await this.select(
      `SELECT * FROM (SELECT DISTINCT ON (kind, connection = $3, address = $5, document_version, document_submission) * FROM state_bases
                       WHERE state_id = $1 AND credential = $2 AND serial IN ($4::bigint, $4::bigint - 1)
                       ORDER BY kind, connection = $3, address = $5, document_version, document_submission, at DESC) fitting
       UNION SELECT * FROM (SELECT * FROM state_bases WHERE state_id = $1 AND credential = $2 AND connection = $3
                             ORDER BY at DESC LIMIT ${NEWEST}) own`,
      [stateId, run.credential, run.connection, serial, run.address],
    );
    if (near.some((candidate) => candidate.serial === serial - 1)) return near;
    const lower = await this.select(
      `SELECT * FROM (SELECT DISTINCT ON (kind, document_version, document_submission) * FROM state_bases
                       WHERE state_id = $1 AND credential = $2 AND serial < $3::bigint AND kind <> 'refused'
                       ORDER BY kind, document_version, document_submission, at DESC) fitting ORDER BY at DESC LIMIT ${NEWEST}`,
      [stateId, run.credential, serial],
    );
    return [...near, ...lower];
  }

  private async select(rows: string, values: unknown[]): Promise<BaseCandidate[]> {
    const found = await this.work.query<StateBaseEntity>(
      `SELECT kind, run_id AS "runId", connection, address, serial::float8 AS serial, document_version AS "documentVersion",
              document_submission AS "documentSubmission", base_version AS "baseVersion", base_submission AS "baseSubmission",
              seen_version AS "seenVersion", at FROM (${rows}) b ORDER BY at DESC`,
      values,
    );
    return found.map(candidateOf);
  }

  async forgetOld(): Promise<void> {
    await this.work.manager.delete(StateBaseEntity, {
      at: LessThan(new Date(this.clock.now().getTime() - FORGET_AFTER_MS)),
    });
  }
}

function documentColumns<P extends 'document' | 'base'>(
  ref: DocumentRef,
  prefix: P,
): Record<`${P}Version`, number | null> & Record<`${P}Submission`, string | null> {
  const columns = {
    [`${prefix}Version`]: 'version' in ref ? ref.version : null,
    [`${prefix}Submission`]: 'submission' in ref ? ref.submission : null,
  };
  return columns as Record<`${P}Version`, number | null> & Record<`${P}Submission`, string | null>;
}

function refOf(version: number | null, submission: string | null): DocumentRef {
  return submission === null ? { version: version ?? 0 } : { submission };
}

function candidateOf(row: StateBaseEntity): BaseCandidate {
  return {
    kind: row.kind,
    runId: row.runId,
    connection: row.connection,
    address: row.address,
    serial: row.serial,
    document: refOf(row.documentVersion, row.documentSubmission),
    base: refOf(row.baseVersion, row.baseSubmission),
    seenVersion: row.seenVersion,
    at: row.at.getTime(),
  };
}
