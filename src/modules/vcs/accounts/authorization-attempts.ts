import { Injectable } from '@nestjs/common';
import { LessThan } from 'typeorm';
import { Sealing } from '../../../platform/crypto/index.js';
import { sameSecret, Secrets } from '../../../platform/crypto/secrets.js';
import { UnitOfWork } from '../../../platform/database/index.js';
import { Clock } from '../../../platform/time/clock.js';
import { UsedAuthorizationEntity } from '../entities/used-authorization.entity.js';
import { textAt } from '../hosts/json-fields.js';

/** What an authorization at a provider is for; an attempt for one is none for another. */
export type AuthorizationPurpose = 'link github' | 'link gitlab' | 'claim';

export interface AuthorizationAttempt {
  id: string;
  state: string;
  /** PKCE */
  verifier: string;
  /** where to go afterwards, not checked yet */
  rd?: string;
  /** of a claim */
  tenantId?: string;
}

export const ATTEMPT_LIFETIME_MS = 600_000;

/**
 * Authorizations under way. They live in the browser that began them, sealed for one person and one purpose, so that any
 * replica can complete them; each is good once.
 */
@Injectable()
export class AuthorizationAttempts {
  constructor(
    private readonly sealing: Sealing,
    private readonly secrets: Secrets,
    private readonly work: UnitOfWork,
    private readonly clock: Clock,
  ) {}

  begin(
    purpose: AuthorizationPurpose,
    userId: string,
    further: Pick<AuthorizationAttempt, 'rd' | 'tenantId'>,
  ): { attempt: AuthorizationAttempt; sealed: string } {
    const { rd, tenantId } = further;
    const attempt: AuthorizationAttempt = {
      id: this.secrets.uuid(),
      state: this.secrets.token(24),
      verifier: this.secrets.token(48),
      ...(rd === undefined ? {} : { rd: rd.slice(0, MAX_RD_LENGTH) }),
      ...(tenantId === undefined ? {} : { tenantId }),
    };
    return { attempt, sealed: this.seal(purpose, userId, attempt) };
  }

  /** Undefined for whatever was not begun by this person for this purpose, or is too old. It is not used up. */
  open(purpose: AuthorizationPurpose, userId: string, sealed: unknown): AuthorizationAttempt | undefined {
    const opened = this.openSealed(purpose, userId, sealed);
    return opened as AuthorizationAttempt | undefined;
  }

  /** Whether the answer belongs to the attempt and is the first one, on whichever replica. */
  async use(attempt: AuthorizationAttempt, state: unknown): Promise<boolean> {
    if (typeof state !== 'string' || !sameSecret(state, attempt.state)) return false;
    const now = this.clock.now();
    await this.work.manager.delete(UsedAuthorizationEntity, { expiresAt: LessThan(now) });
    const rows = await this.work.query(
      'INSERT INTO used_authorizations (id, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id',
      [attempt.id, new Date(now.getTime() + ATTEMPT_LIFETIME_MS)],
    );
    return rows.length > 0;
  }

  /** Any value, sealed for one person and one purpose, with a lifetime. */
  seal(purpose: string, userId: string, value: object): string {
    const expiresAt = new Date(this.clock.now().getTime() + ATTEMPT_LIFETIME_MS).toISOString();
    return this.sealing
      .seal(JSON.stringify({ value, expiresAt }), placeOf(purpose, userId))
      .toString('base64url');
  }

  openSealed(purpose: string, userId: string, sealed: unknown): object | undefined {
    if (typeof sealed !== 'string' || sealed === '') return undefined;
    try {
      const text = this.sealing.open(Buffer.from(sealed, 'base64url'), placeOf(purpose, userId)).toString();
      const opened = JSON.parse(text) as { value: object };
      const expiresAt = textAt(opened, 'expiresAt') ?? '';
      return expiresAt > this.clock.now().toISOString() ? opened.value : undefined;
    } catch {
      return undefined; // forged, of another person, or sealed with another key
    }
  }
}

const MAX_RD_LENGTH = 2048;

function placeOf(purpose: string, userId: string): { table: string; column: string; row: string } {
  return { table: 'browser cookie', column: purpose, row: userId };
}
