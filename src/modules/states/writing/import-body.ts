import type { Request } from 'express';
import { isStorable } from '../../../platform/database/storable-text.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { arriving, DOCUMENT_PACE } from '../../../platform/http/index.js';
import { NotJson } from '../../documents/index.js';
import { MemberStream, UnfitObject } from '../chunks/member-stream.js';
import { stateErrors } from '../states.errors.js';
import { acceptableTags } from '../tags.rules.js';
import { isUuid } from '../../../platform/text/uuid.js';

/** Bytes of a body beyond the limit. */
const MAX_IGNORED = 512 * 1024 * 1024;

/** What stands beside the document. */
export interface ImportRequest {
  name: string;
  groupId: string | undefined;
  workspace: string | undefined;
  /** JSON text */
  tags: string | undefined;
}

/** Reads `{name, state, group_id?, workspace?, tags?}` while it arrives, without touching the tokens of `state`. */
export class ImportBody {
  private readonly object = new MemberStream('state');
  private failure: unknown;
  private request: ImportRequest | undefined;

  constructor(
    private readonly body: AsyncIterable<Buffer>,
    private readonly declared: number,
    private readonly limit: number,
  ) {}

  static fromRequest(request: Request, limit: number): ImportBody {
    return new ImportBody(
      arriving(request, DOCUMENT_PACE),
      Number(request.headers['content-length'] ?? 0),
      limit,
    );
  }

  /** The bytes of `state`. What is wrong with the rest is thrown when they have ended. */
  async *document(): AsyncGenerator<Buffer> {
    let isFirst = true;
    for await (const part of this.partsWithinLimit()) {
      for (const bytes of this.take(part)) {
        if (isFirst && bytes[0] !== OPEN_BRACE) this.failure ??= notADocument();
        isFirst = false;
        if (this.failure === undefined) yield bytes;
      }
    }
    this.attempt(() => this.object.end());
    const request = this.attempt(() => requestOf(this.object.members));
    if (isFirst) this.failure ??= notADocument();
    if (this.failure !== undefined) throw this.failure as Error;
    this.request = request;
  }

  /** An excess is still read, up to a limit: a client that is cut off while it sends never sees the answer. */
  private async *partsWithinLimit(): AsyncGenerator<Buffer> {
    const mostRead = this.limit + MAX_IGNORED;
    let size = this.declared;
    if (size <= mostRead) {
      let read = 0;
      for await (const part of this.body) {
        read += part.length;
        size = Math.max(size, read);
        if (read > mostRead) break;
        if (size <= this.limit) yield part;
      }
    }
    if (size > this.limit) throw httpErrors.PAYLOAD_TOO_LARGE();
  }

  /** Only after the document has been read. */
  get wanted(): ImportRequest {
    if (!this.request) throw new Error('the body was not read yet');
    return this.request;
  }

  private take(part: Buffer): Buffer[] {
    return this.attempt(() => this.object.take(part)) ?? [];
  }

  /** The first thing that is wrong counts. */
  private attempt<T>(read: () => T): T | undefined {
    if (this.failure !== undefined) return undefined;
    try {
      return read();
    } catch (error) {
      this.failure = translate(error);
      return undefined;
    }
  }
}

const OPEN_BRACE = 0x7b;

function notADocument(): Error {
  return stateErrors.INVALID_STATE('state must be a state document');
}

function requestOf(members: ReadonlyMap<string, Buffer>): ImportRequest {
  const values = new Map<string, unknown>();
  for (const [member, bytes] of members)
    values.set(member, bytes.length === 0 && member === 'state' ? null : JSON.parse(bytes.toString('utf8')));
  const text = (member: string): string | undefined => {
    const value = values.get(member) ?? undefined;
    if (value === undefined) return undefined;
    if (typeof value !== 'string' || value.trim() === '' || value.length > 255 || !isStorable(value))
      throw httpErrors.INVALID_REQUEST(`${member} must be a string of 1 to 255 characters`);
    return value;
  };
  const name = text('name');
  const groupId = text('group_id');
  if (name === undefined) throw httpErrors.INVALID_REQUEST('name is required');
  if (groupId !== undefined && !isUuid(groupId)) throw httpErrors.INVALID_REQUEST('group_id must be a UUID');
  return { name, groupId, workspace: text('workspace'), tags: tagsOf(values.get('tags')) };
}

function tagsOf(tags: unknown): string | undefined {
  if (tags === undefined || tags === null) return undefined;
  if (typeof tags !== 'object' || Array.isArray(tags))
    throw httpErrors.INVALID_REQUEST('tags must be an object');
  return acceptableTags(tags as Record<string, unknown>);
}

function translate(error: unknown): unknown {
  if (error instanceof UnfitObject) return httpErrors.INVALID_REQUEST(error.message);
  if (error instanceof NotJson || error instanceof SyntaxError)
    return httpErrors.INVALID_REQUEST('the body is not valid JSON');
  return error;
}
