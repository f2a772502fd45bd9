import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { Injectable } from '@nestjs/common';
import {
  DEFLATE_END,
  GZIP_HEADER,
  gzipTrailer,
  inflateChunk,
  inflateChunkAside,
  outputsDocument,
  topLevelMembers,
} from '../../documents/index.js';
import { unpackHashes } from './chunk-list.js';
import { DocumentChunks } from './document-chunks.store.js';
import type { StateEntity } from '../entities/state.entity.js';
import type { StoredDocument } from '../entities/stored-document.js';
import { StoredDocuments } from './stored-documents.store.js';

/** Bytes handed to a connection at once: a chunk deflates to a few kB, and each write has its price. */
const LEAST_WRITE = 64 * 1024;

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

/** Serves stored documents byte for byte: their deflated chunks one after the other are one gzip member. */
@Injectable()
export class DocumentReading {
  constructor(
    private readonly chunks: DocumentChunks,
    private readonly documents: StoredDocuments,
  ) {}

  /** The current document; of a state that was never written an empty one that carries its lineage. */
  async current(state: StateEntity): Promise<ServedDocument> {
    const version = state.version > 0 ? await this.documents.version(state.id, state.version) : null;
    return version
      ? this.stored(state.id, version, state.version)
      : served(emptyDocument(state), `${state.id}-0`);
  }

  /** Any stored document; `version` is given for one whose MD5 may have to be worked out first. */
  async stored(stateId: string, document: StoredDocument, version?: number): Promise<ServedDocument> {
    const hashes = unpackHashes(document.chunks);
    const md5 = document.md5 ?? (await this.digest(stateId, hashes, version));
    return {
      md5: md5.toString('base64'),
      etag: `"${md5.toString('hex')}"`,
      size: document.size,
      gzip: () =>
        Readable.from(this.member(stateId, hashes, document.crc32, document.size), {
          objectMode: false,
          highWaterMark: 1 << 20,
        }),
      plain: () =>
        Readable.from(this.inflated(stateId, hashes), { objectMode: false, highWaterMark: 1 << 20 }),
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
    for await (const chunk of this.chunks.read(state.id, hashes)) parts.push(inflateChunk(chunk.data));
    return served(
      Buffer.from(outputsDocument(topLevelMembers(Buffer.concat(parts)))),
      `${state.id}-outputs-${state.version}`,
    );
  }

  private async *member(
    stateId: string,
    hashes: readonly string[],
    crc32: number,
    size: number,
  ): AsyncGenerator<Buffer> {
    let parts: Buffer[] = [GZIP_HEADER];
    let length = 0;
    for await (const { data } of this.chunks.read(stateId, hashes)) {
      parts.push(data);
      length += data.length;
      if (length < LEAST_WRITE) continue;
      yield Buffer.concat(parts);
      parts = [];
      length = 0;
    }
    yield Buffer.concat([...parts, DEFLATE_END, gzipTrailer(crc32, size)]);
  }

  private async *inflated(stateId: string, hashes: readonly string[]): AsyncGenerator<Buffer> {
    // Off the event loop: forty documents at once would hold it for seconds.
    for await (const chunk of this.chunks.read(stateId, hashes)) yield await inflateChunkAside(chunk.data);
  }

  /** A merged document was never seen as a whole; its MD5 is worked out when it is first asked for. */
  private async digest(
    stateId: string,
    hashes: readonly string[],
    version: number | undefined,
  ): Promise<Buffer> {
    const md5 = createHash('md5');
    for await (const bytes of this.inflated(stateId, hashes)) md5.update(bytes);
    const digest = md5.digest();
    if (version !== undefined) await this.documents.setMd5(stateId, version, digest);
    return digest;
  }
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
