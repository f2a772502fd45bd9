import type { Request } from 'express';
import { httpErrors } from '../../platform/errors/index.js';
import { isUuid } from '../access/index.js';
import { JsonScanner, NotJson } from '../documents/index.js';
import { stateErrors } from './states.errors.js';
import { acceptableTags } from './tags.rules.js';

/** Bytes of a body beyond the limit. */
const MOST_IGNORED = 512 * 1024 * 1024;

export interface ImportRequest {
  name: string;
  groupId: string | undefined;
  workspace: string | undefined;
  /** JSON text */
  tags: string | undefined;
  /** the bytes of the `state` member */
  document: Buffer;
}

/** Reads `{name, state, group_id?, workspace?, tags?}` without touching the tokens of `state`. */
export async function importRequestOf(request: Request, limit: number): Promise<ImportRequest> {
  const members = membersOf(await bodyOf(request, limit));
  const text = (name: string): string | undefined => {
    const value: unknown = members.has(name)
      ? JSON.parse(members.get(name)?.toString('utf8') ?? 'null')
      : undefined;
    if (value === undefined || value === null) return undefined;
    if (typeof value !== 'string' || value.trim() === '' || value.length > 255)
      throw httpErrors.INVALID_REQUEST(`${name} must be a string of 1 to 255 characters`);
    return value;
  };
  const name = text('name');
  const groupId = text('group_id');
  const document = members.get('state');
  if (name === undefined) throw httpErrors.INVALID_REQUEST('name is required');
  if (groupId !== undefined && !isUuid(groupId)) throw httpErrors.INVALID_REQUEST('group_id must be a UUID');
  if (document?.[0] !== 0x7b) throw stateErrors.INVALID_STATE('state must be a state document');
  return { name, groupId, workspace: text('workspace'), tags: tagsOf(members.get('tags')), document };
}

function tagsOf(bytes: Buffer | undefined): string | undefined {
  const tags: unknown = bytes && JSON.parse(bytes.toString('utf8'));
  if (tags === undefined || tags === null) return undefined;
  if (typeof tags !== 'object' || Array.isArray(tags))
    throw httpErrors.INVALID_REQUEST('tags must be an object');
  return acceptableTags(tags as Record<string, unknown>);
}

async function bodyOf(request: Request, limit: number): Promise<Buffer> {
  let parts: Buffer[] = [];
  let size = 0;
  // What is too large is still read, within reason: a client that is cut off while it sends never sees the answer.
  const most = limit + MOST_IGNORED;
  const declared = Number(request.headers['content-length'] ?? 0);
  if (declared <= most)
    for await (const part of request.iterator({ destroyOnReturn: false }) as AsyncIterable<Buffer>) {
      size += part.length;
      if (size > most) break;
      if (size > limit || declared > limit) parts = [];
      else parts.push(part);
    }
  if (size > limit || declared > limit) throw httpErrors.PAYLOAD_TOO_LARGE();
  return Buffer.concat(parts);
}

/** Members of an object as the bytes of their values. */
function membersOf(body: Buffer): Map<string, Buffer> {
  const members = new Map<string, Buffer>();
  const scanner = new JsonScanner(body);
  try {
    scanner.take(0x7b);
    if (!scanner.takeIf(0x7d)) {
      do {
        const name = scanner.key();
        scanner.peek();
        const start = scanner.pos;
        scanner.value();
        members.set(name, body.subarray(start, scanner.pos));
      } while (scanner.takeIf(0x2c));
      scanner.take(0x7d);
    }
    if (scanner.peek() !== -1) throw new NotJson(scanner.pos);
    return members;
  } catch (error) {
    if (error instanceof NotJson) throw httpErrors.INVALID_REQUEST('the body is not valid JSON');
    throw httpErrors.INVALID_REQUEST('the body is nested too deeply');
  }
}
