import { deflateRawSync, inflateRawSync } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import { AuthorizationAttempts } from '../accounts/authorization-attempts.js';
import { textAt } from '../hosts/json-fields.js';

export const CLAIM_PROOF_COOKIE = 'vcs_claim_proof';

/** A cookie holds 4 kB. */
const MAX_PROVED = 450;
const PURPOSE = 'claim proof';

/** What somebody proved: ids (the provider's own) of installations they administer, for one tenant. */
@Injectable()
export class ClaimProofs {
  constructor(private readonly attempts: AuthorizationAttempts) {}

  seal(userId: string, tenantId: string, installationIds: readonly string[]): string {
    const ids = deflateRawSync(installationIds.slice(0, MAX_PROVED).join(',')).toString('base64');
    return this.attempts.seal(PURPOSE, userId, { tenantId, ids });
  }

  /** Undefined for what was not sealed for this person and tenant, or is too old. */
  open(userId: string, tenantId: string, sealed: unknown): string[] | undefined {
    const proof = this.attempts.openSealed(PURPOSE, userId, sealed);
    const ids = textAt(proof, 'ids');
    if (ids === undefined || textAt(proof, 'tenantId') !== tenantId) return undefined;
    const text = inflateRawSync(Buffer.from(ids, 'base64')).toString();
    return text === '' ? [] : text.split(',');
  }
}
