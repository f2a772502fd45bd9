import { createHash } from 'node:crypto';
import type { Principal } from '../access/index.js';

/** What is kept of an `Idempotency-Key`. Bound to the credential: a key that somebody else has seen opens nothing. */
export function callerKey({ credentialId }: Principal, key: string | undefined): string | null {
  return key === undefined ? null : createHash('sha256').update(`${credentialId}\n${key}`).digest('hex');
}
