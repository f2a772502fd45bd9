import { Injectable } from '@nestjs/common';
import { Config } from '../../../platform/config/config.js';
import { httpErrors } from '../../../platform/errors/index.js';
import {
  DocumentCopy,
  DocumentIngest,
  IngestedDocument,
  type Owner,
  ReadSession,
  UnreadableDocument,
} from '../../documents/index.js';
import { stateErrors } from '../states.errors.js';

/** The bytes of a document as a client sends them. */
export interface DocumentBody {
  bytes: AsyncIterable<Buffer>;
  /** of the header, when there was one */
  length: number | undefined;
  /** base64, as the client sent it */
  md5: string | undefined;
  /** whether some of it may be written in another way than the beginning */
  isIrregular?: boolean;
}

const MOST_IRREGULAR = 1000;

/** Reads a body to its end and checks it, before anything of it is stored. */
@Injectable()
export class DocumentIntake {
  /** States that were sent documents of another layout than the client's further on */
  private readonly irregular = new Set<string>();

  constructor(
    private readonly ingest: DocumentIngest,
    private readonly config: Config,
  ) {}

  async read(owner: Owner, known: string[], body: DocumentBody): Promise<IngestedDocument> {
    const limit = this.config.get('SERVICE_CLIENT_MAX_BODY_SIZE');
    if (body.length !== undefined && body.length > limit) throw tooLarge(limit);
    const copy = new DocumentCopy(
      known.length === 0 || body.isIrregular === true || this.irregular.has(owner.stateId),
    );
    try {
      const arriving = copy.writeBytes(withinLimit(body.bytes, limit));
      return await this.readOnce(this.ingest.open(owner, known), arriving, body).catch((error: unknown) => {
        const isUnread = error instanceof UnreadableDocument && error.failure !== 'unexpected';
        if (isUnread && copy.isDropped) throw this.again(owner.stateId);
        if (!isUnread || !copy.isKept) throw error;
        return this.readOnce(this.ingest.open(owner, known, { structural: true }), copy.read(), body);
      });
    } catch (error) {
      throw translate(error);
    } finally {
      await copy.dispose();
    }
  }

  /** The next time a copy is kept from the beginning. */
  private again(stateId: string): Error {
    if (this.irregular.size >= MOST_IRREGULAR) this.irregular.clear();
    this.irregular.add(stateId);
    return httpErrors.UNAVAILABLE('the layout of the document changes in the middle; send it again', {
      'Retry-After': '1',
    });
  }

  private async readOnce(
    session: ReadSession,
    bytes: AsyncIterable<Buffer>,
    body: DocumentBody,
  ): Promise<IngestedDocument> {
    try {
      let failure: unknown;
      for await (const part of bytes) {
        // The rest is still read after a failure, so that the client gets the answer instead of a closed connection.
        if (failure !== undefined) session.skip(part);
        else
          failure = await session.write(part).then(
            () => undefined,
            (reason: unknown) => reason,
          );
      }
      if (failure !== undefined) throw failure as Error;
      const document = await session.end();
      this.verify(document.md5, document.size, body);
      return document;
    } catch (error) {
      await session.abort();
      // What was damaged on its way is rarely JSON any more, and has to be sent again all the same.
      if (error instanceof UnreadableDocument) this.verify(session.checksum, body.length, body);
      throw error;
    }
  }

  /** A body that lost bytes on its way is answered 503, so that the client sends it again. */
  private verify(md5: Buffer, size: number | undefined, body: DocumentBody): void {
    if (body.md5 !== undefined && md5.toString('base64') !== body.md5)
      throw stateErrors.CHECKSUM_MISMATCH(undefined, { 'Retry-After': '1' });
    if (body.length !== undefined && size !== body.length)
      throw stateErrors.CHECKSUM_MISMATCH(undefined, { 'Retry-After': '1' });
  }
}

async function* withinLimit(bytes: AsyncIterable<Buffer>, limit: number): AsyncGenerator<Buffer> {
  let size = 0;
  for await (const part of bytes) {
    size += part.length;
    if (size > limit) throw tooLarge(limit);
    yield part;
  }
}

function tooLarge(limit: number): Error {
  return httpErrors.PAYLOAD_TOO_LARGE(`a state document must not exceed ${limit} bytes`);
}

function translate(error: unknown): unknown {
  if (!(error instanceof UnreadableDocument)) return error;
  switch (error.failure) {
    case 'not-json':
      return stateErrors.INVALID_STATE(
        `the body is not a JSON document: ${error.message || 'unexpected end'}`,
      );
    case 'not-a-state':
      return stateErrors.INVALID_STATE(`the body is not a state document: ${error.message}`);
    case 'frame-too-large':
      return httpErrors.PAYLOAD_TOO_LARGE('the parts of the document outside of its resources are too large');
    case 'unexpected':
      return httpErrors
        .UNAVAILABLE('the document could not be read; send it again', { 'Retry-After': '1' })
        .because(error.cause ?? error);
  }
}
