import { Injectable } from '@nestjs/common';
import { EncryptJWT, jwtDecrypt } from 'jose';
import { LessThan } from 'typeorm';
import { Config } from '../../platform/config/config.js';
import { UnitOfWork } from '../../platform/database/index.js';
import { Secrets } from '../../platform/crypto/secrets.js';
import { Clock } from '../../platform/time/clock.js';
import { SigningKeys } from '../access/index.js';
import { UsedLoginAttemptEntity } from './entities/session.entities.js';

/** A sign-in under way; it lives in the browser, sealed, so that any replica can complete it. */
export interface LoginAttempt {
  id: string;
  state: string;
  nonce: string;
  /** PKCE */
  verifier: string;
  /** where to go afterwards, not checked yet */
  rd?: string;
}

/** Keeps the sealed attempt while the browser is at the provider. */
export const ATTEMPT_COOKIE = 'login_attempt';
/** Ten minutes are enough to type a password and find a second factor. */
const ATTEMPT_SECONDS = 600;
const ENCRYPTION: Readonly<Record<number, string>> = { 16: 'A128GCM', 24: 'A192GCM', 32: 'A256GCM' };
const SHARED = 'shared';

@Injectable()
export class LoginAttempts {
  constructor(
    private readonly config: Config,
    private readonly work: UnitOfWork,
    private readonly keys: SigningKeys,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  begin(rd: string | undefined): LoginAttempt {
    const [id, state, nonce] = [this.secrets.uuid(), this.secrets.token(24), this.secrets.token(24)];
    return { id, state, nonce, verifier: this.secrets.token(48), ...(rd === undefined ? {} : { rd }) };
  }

  async seal(attempt: LoginAttempt): Promise<string> {
    const { secret, id } = await this.newestSecret();
    return new EncryptJWT({ attempt })
      .setProtectedHeader({ alg: 'dir', enc: ENCRYPTION[secret.length] ?? 'A256GCM', kid: id })
      .setExpirationTime(Math.floor(this.clock.now().getTime() / 1000) + ATTEMPT_SECONDS)
      .encrypt(secret);
  }

  /** Undefined for whatever was not sealed here, or is too old. */
  async open(sealed: unknown): Promise<LoginAttempt | undefined> {
    if (typeof sealed !== 'string') return undefined;
    try {
      const { payload } = await jwtDecrypt(sealed, async ({ kid }) => this.secretOf(kid), {
        currentDate: this.clock.now(),
        keyManagementAlgorithms: ['dir'],
        contentEncryptionAlgorithms: Object.values(ENCRYPTION),
      });
      return payload['attempt'] as LoginAttempt;
    } catch {
      return undefined; // forged, expired or sealed with another secret: begin again
    }
  }

  /** False when the attempt was used before, on whichever replica. */
  async use({ id }: LoginAttempt): Promise<boolean> {
    const now = this.clock.now();
    await this.work.manager.delete(UsedLoginAttemptEntity, { expiresAt: LessThan(now) });
    const rows = await this.work.query(
      'INSERT INTO used_login_attempts (id, expires_at) VALUES ($1, $2) ON CONFLICT DO NOTHING RETURNING id',
      [id, new Date(now.getTime() + ATTEMPT_SECONDS * 1000)],
    );
    return rows.length > 0;
  }

  /** The configured secret, or without one a key that every replica finds in the database. */
  private async newestSecret(): Promise<{ id: string; secret: Uint8Array }> {
    const configured = this.config.get('SERVICE_OAUTH_COOKIE_SECRET');
    return configured === undefined ? this.keys.newest() : { id: SHARED, secret: Buffer.from(configured) };
  }

  private async secretOf(id: string | undefined): Promise<Uint8Array> {
    const configured = this.config.get('SERVICE_OAUTH_COOKIE_SECRET');
    if (configured !== undefined) return Buffer.from(configured);
    const key = id === undefined ? undefined : await this.keys.find(id);
    if (!key) throw new Error('sealed with an unknown key');
    return key.secret;
  }
}
