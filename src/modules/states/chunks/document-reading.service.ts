import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import {
  DEFLATE_END,
  GZIP_HEADER,
  gzipTrailer,
  inflateChunkAside,
  outputsDocument,
  topLevelMembers,
} from '../../documents/index.js';
import { unpackHashes } from './chunk-list.js';
import { FairSlots } from '../../../platform/threads/index.js';
import { DocumentChunks, type InTurn } from './document-chunks.store.js';
import type { StoredChunk } from './recent-chunks.js';
import type { StateEntity } from '../entities/state.entity.js';
import type { StoredDocument } from '../entities/stored-document.js';
import { StoredDocuments } from './stored-documents.store.js';

/** Bytes handed to a connection at once: a chunk deflates to a few kB, and each write has its price. */
const LEAST_WRITE = 64 * 1024;

/** Reads wait for as long as a client may take to take nothing of its answer. */
const WAITING = { maxWaiting: 4096, maxWaitingPerGroup: 4096, maxWaitMs: 120_000 };
/** Batches of chunks that are on their way from the database: each takes a connection. */
const LOADS = { slots: 4, perGroup: 3, ...WAITING };
/** Chunks that are inflated in the system's pool of four threads, which hashes passwords as well. */
const INFLATIONS = { slots: 2, perGroup: 1, ...WAITING };

/** Whose document is read. */
export interface DocumentOwner {
  stateId: string;
  tenantId: string;
}

/** A document on its way to a client. */
export interface ServedDocument {
  /** base64 MD5 of the document, not of its gzip form */
  md5: string;
  etag: string;
  /** bytes of the document */
  size: number;
  gzip: () => Readable;
  plain: () => Readable;
}

/**
 * Serves stored documents byte for byte: their deflated chunks one after the other are one gzip member. Tenants take turns
 * batch by batch, so that one tenant's many downloads do not hold up another's first.
 */
@Injectable()
export class DocumentReading {
  private readonly loads = new FairSlots(LOADS);
  private readonly inflations = new FairSlots(INFLATIONS);

  constructor(
    private readonly chunks: DocumentChunks,
    private readonly documents: StoredDocuments,
  ) {}

  /** The current document; of a state that was never written an empty one that carries its lineage. */
  async current(state: StateEntity): Promise<ServedDocument> {
    const version = state.version > 0 ? await this.documents.version(state.id, state.version) : null;
    return version
      ? this.stored(ownerOf(state), version, state.version)
      : served(emptyDocument(state), `${state.id}-0`);
  }

  /** Any stored document; `version` is given for one whose MD5 may have to be worked out first. */
  async stored(owner: DocumentOwner, document: StoredDocument, version?: number): Promise<ServedDocument> {
    const hashes = unpackHashes(document.chunks);
    const md5 = document.md5 ?? (await this.digest(owner, hashes, version));
    return {
      md5: md5.toString('base64'),
      etag: `"${md5.toString('hex')}"`,
      size: document.size,
      gzip: () =>
        Readable.from(this.member(owner, hashes, document), {
          objectMode: false,
          highWaterMark: 1 << 20,
        }),
      plain: () => Readable.from(this.inflated(owner, hashes), { objectMode: false, highWaterMark: 1 << 20 }),
    };
  }

  /** Only the outputs of the current document, as a document of its own. */
  async outputs(state: StateEntity): Promise<ServedDocument> {
    const version = state.version > 0 ? await this.documents.version(state.id, state.version) : null;
    if (!version || version.format !== 'terraform')
      return served(emptyDocument(state), `${state.id}-outputs-${state.version}`);
    const kinds = await this.chunks.describe(state.id, unpackHashes(version.chunks));
    const frames = new Set(kinds.filter((chunk) => chunk.kind === 0).map((chunk) => chunk.hash));
    const parts: Buffer[] = [];
    const hashes = unpackHashes(version.chunks).filter((hash) => frames.has(hash));
    for await (const part of this.inflated(ownerOf(state), hashes)) parts.push(part);
    return served(
      Buffer.from(outputsDocument(topLevelMembers(Buffer.concat(parts)))),
      `${state.id}-outputs-${state.version}`,
    );
  }

  private async *member(
    owner: DocumentOwner,
    hashes: readonly string[],
    { crc32, size }: Pick<StoredDocument, 'crc32' | 'size'>,
  ): AsyncGenerator<Buffer> {
    let parts: Buffer[] = [GZIP_HEADER];
    let length = 0;
    for await (const { data } of this.read(owner, hashes)) {
      parts.push(data);
      length += data.length;
      if (length < LEAST_WRITE) continue;
      yield Buffer.concat(parts);
      parts = [];
      length = 0;
    }
    yield Buffer.concat([...parts, DEFLATE_END, gzipTrailer(crc32, size)]);
  }

  private async *inflated(owner: DocumentOwner, hashes: readonly string[]): AsyncGenerator<Buffer> {
    // Off the event loop: forty documents at once would hold it for seconds.
    for await (const { data, size } of this.read(owner, hashes))
      yield await this.inflations.run(owner.tenantId, () => inflateChunkAside(data, size));
  }

  private read({ stateId, tenantId }: DocumentOwner, hashes: readonly string[]): AsyncGenerator<StoredChunk> {
    const inTurn: InTurn = (task) => this.loads.run(tenantId, task);
    return this.chunks.read(stateId, hashes, { inTurn });
  }

  /** A merged document was never seen as a whole; its MD5 is worked out when it is first asked for. */
  private async digest(
    owner: DocumentOwner,
    hashes: readonly string[],
    version: number | undefined,
  ): Promise<Buffer> {
    const md5 = createHash('md5');
    for await (const bytes of this.inflated(owner, hashes)) md5.update(bytes);
    const digest = md5.digest();
    if (version !== undefined) await this.documents.setMd5(owner.stateId, version, digest);
    return digest;
  }
}

function ownerOf({ id, tenantId }: Pick<StateEntity, 'id' | 'tenantId'>): DocumentOwner {
  return { stateId: id, tenantId };
}

function served(bytes: Buffer, tag: string): ServedDocument {
  const plain = () => Readable.from([bytes], { objectMode: false });
  const md5 = createHash('md5').update(bytes).digest('base64');
  return { md5, etag: `"${tag}"`, size: bytes.length, gzip: plain, plain };
}

/** What a state that was never written serves: with nothing or 404 a client would make up a lineage of its own. */
export function emptyDocument(state: Pick<StateEntity, 'lineage' | 'serial'>): Buffer {
  const document = {
    version: 4,
    serial: state.serial,
    lineage: state.lineage,
    outputs: {},
    resources: [],
    check_results: null,
  };
  return Buffer.from(`${JSON.stringify(document, null, 2)}\n`);
}
