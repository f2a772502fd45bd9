import { linkIdsOf } from '../../pricing/index.js';
import { hashUuid } from '../books/hash-uuid.js';

/** One name for a type and an id by which a rule asks for another instance. */
export function linkHash(type: string, id: string): string {
  return hashUuid(`${type}\0${id}`);
}

/** Everything by which rules may ask for the instance. */
export function targetHashes(type: string, attributes: unknown): string[] {
  return linkIdsOf(type, attributes).map((id) => linkHash(type, id));
}
