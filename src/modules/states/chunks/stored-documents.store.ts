import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import type { DocumentFormat, FrameIndex } from '../../documents/index.js';
import { packHashes, unpackHashes } from './chunk-list.js';
import type { ComparableDocument } from './document-ref.js';
import { StateSubmissionEntity, SubmissionStatus } from '../entities/state-submission.entity.js';
import { StateVersionEntity, VersionOrigin } from '../entities/state-version.entity.js';
import type { StoredDocument } from '../entities/stored-document.js';
import { type DocumentRef, nameOf } from './document-ref.js';

/** A document ready to be stored; its chunks are. */
export interface PreparedDocument extends ComparableDocument {
  serial: number;
  lineage: string;
  format: DocumentFormat;
  terraformVersion: string | undefined;
  graphError: string | undefined;
  md5: Buffer | undefined;
  crc32: number;
  size: number;
  frame: FrameIndex;
}

/** Which write a document came with. */
export interface Authorship {
  txId: string;
  runId: string;
  userId: string | undefined;
  /** JSON text of the metadata of the transaction */
  tags?: string | undefined;
  /** by key, where instances, outputs and check results come from several transactions at once */
  txOf?: ReadonlyMap<string, string>;
}

const NOTHING: ComparableDocument = { hashes: [], frame: { outputs: {}, checks: {} } };

/** Versions and submissions: the rows that say which chunks make a document. */
@Injectable()
export class StoredDocuments {
  constructor(
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  async version(stateId: string, version: number): Promise<StateVersionEntity | null> {
    return this.work.manager.findOneBy(StateVersionEntity, { stateId, version });
  }

  /** The newest version with that serial: a forced write may have repeated it. */
  async bySerial(stateId: string, serial: number): Promise<StateVersionEntity | null> {
    return this.work.manager.findOne(StateVersionEntity, {
      where: { stateId, serial },
      order: { version: 'DESC' },
    });
  }

  async submission(stateId: string, id: string): Promise<StateSubmissionEntity | null> {
    return this.work.manager.findOneBy(StateSubmissionEntity, { stateId, id });
  }

  /** The document for comparing; version 0 and one that was pruned are empty and undefined. */
  async comparable(stateId: string, ref: DocumentRef): Promise<ComparableDocument | undefined> {
    return (await this.comparables(stateId, [ref])).get(nameOf(ref));
  }

  /** The same of several, by name and by one statement. */
  async comparables(stateId: string, refs: readonly DocumentRef[]): Promise<Map<string, ComparableDocument>> {
    const rows = await this.select<Pick<StoredDocument, 'chunks' | 'frame'>>(stateId, refs, 'chunks, frame');
    const found = new Map<string, ComparableDocument>();
    for (const { name, chunks, frame } of rows) found.set(name, { hashes: unpackHashes(chunks), frame });
    if (refs.some((ref) => 'version' in ref && ref.version === 0)) found.set(nameOf({ version: 0 }), NOTHING);
    return found;
  }

  /** The checksums of several, by name. */
  async checksums(stateId: string, refs: readonly DocumentRef[]): Promise<Map<string, Buffer | null>> {
    const rows = await this.select<Pick<StoredDocument, 'md5'>>(stateId, refs, 'md5');
    return new Map(rows.map(({ name, md5 }) => [name, md5]));
  }

  private async select<T>(
    stateId: string,
    refs: readonly DocumentRef[],
    columns: 'md5' | 'chunks, frame',
  ): Promise<(T & { name: string })[]> {
    const versions = refs.flatMap((ref) => ('version' in ref && ref.version > 0 ? [ref.version] : []));
    const submissions = refs.flatMap((ref) => ('submission' in ref ? [ref.submission] : []));
    if (versions.length + submissions.length === 0) return [];
    return this.work.query<T & { name: string }>(
      `SELECT version::text AS name, ${columns} FROM state_versions WHERE state_id = $1 AND version = ANY($2::int[])
       UNION ALL SELECT id::text, ${columns} FROM state_submissions WHERE state_id = $1 AND id = ANY($3::uuid[])`,
      [stateId, versions, submissions],
    );
  }

  async addVersion(
    stateId: string,
    version: number,
    { origin, document, by }: { origin: VersionOrigin; document: PreparedDocument; by: Authorship },
  ): Promise<void> {
    await this.work.manager.insert(StateVersionEntity, {
      stateId,
      version,
      origin,
      graphError: document.graphError ?? null,
      ...columns(document, by, this.clock.now()),
    });
  }

  async addSubmission(
    row: {
      id: string;
      stateId: string;
      status: SubmissionStatus;
      resultingVersion: number | null;
      /** the version that its writer started from, where it is known */
      baseVersion: number | null;
      conflictsWith: string[];
    },
    document: PreparedDocument,
    by: Authorship,
  ): Promise<void> {
    await this.work.manager.insert(StateSubmissionEntity, {
      ...row,
      ...columns(document, by, this.clock.now()),
    });
  }

  async markMerged(stateId: string, id: string, resultingVersion: number): Promise<void> {
    await this.work.manager.update(
      StateSubmissionEntity,
      { stateId, id },
      { status: 'merged', resultingVersion },
    );
  }

  async setMd5(stateId: string, version: number, md5: Buffer): Promise<void> {
    await this.work.manager.update(StateVersionEntity, { stateId, version }, { md5 });
  }
}

function columns(
  document: PreparedDocument,
  by: Authorship,
  createdAt: Date,
): Omit<StoredDocument, 'createdAt'> & { createdAt: Date } {
  return {
    serial: document.serial,
    lineage: document.lineage,
    format: document.format,
    md5: document.md5 ?? null,
    crc32: document.crc32,
    size: document.size,
    chunks: packHashes(document.hashes),
    frame: document.frame,
    txId: by.txId,
    runId: by.runId,
    createdBy: by.userId ?? null,
    createdAt,
  };
}
