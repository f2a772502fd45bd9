import { Injectable } from '@nestjs/common';
import { SignJWT } from 'jose';
import { Clock } from '../../../platform/time/clock.js';
import { vcsErrors } from '../vcs.errors.js';
import { dateAt, textAt } from './json-fields.js';
import { ProviderRequests } from './provider-requests.js';
import { VcsSettings } from './vcs-settings.js';

interface InstallationToken {
  token: string;
  expiresAt: Date;
}

/** GitHub allows 10 minutes from the issue, which lies in the past for servers whose clock is slow. */
const JWT_LIFETIME_SECONDS = 600;
const CLOCK_SKEW_SECONDS = 60;
const RENEWED_BEFORE_MS = 300_000;
const REQUEST_TIME_LIMIT_MS = 60_000;

/** Credentials of the GitHub app: its own JWT, and a token for each installation. */
@Injectable()
export class GithubAppTokens {
  private readonly tokens = new Map<string, InstallationToken>();
  private readonly underWay = new Map<string, Promise<InstallationToken>>();

  constructor(
    private readonly settings: VcsSettings,
    private readonly requests: ProviderRequests,
    private readonly clock: Clock,
  ) {}

  /** A fresh JWT of the app itself. */
  async signAppToken(): Promise<string> {
    const app = this.settings.githubApp;
    if (!app) throw vcsErrors.PROVIDER_NOT_CONFIGURED();
    const issuedAt = Math.floor(this.clock.now().getTime() / 1000) - CLOCK_SKEW_SECONDS;
    return new SignJWT()
      .setProtectedHeader({ alg: 'RS256', typ: 'JWT' })
      .setIssuer(app.id)
      .setIssuedAt(issuedAt)
      .setExpirationTime(issuedAt + JWT_LIFETIME_SECONDS)
      .sign(app.key);
  }

  /** Kept in memory until shortly before its end; asked for once, however many wait for it. */
  async findToken(installationId: string, signal?: AbortSignal): Promise<string> {
    const known = this.tokens.get(installationId);
    if (known && known.expiresAt.getTime() - RENEWED_BEFORE_MS > this.clock.now().getTime())
      return known.token;
    const pending = this.underWay.get(installationId) ?? this.request(installationId);
    this.underWay.set(installationId, pending);
    return (await untilAborted(pending, signal)).token;
  }

  /** After the provider refused it: the next request asks for another one. */
  forget(installationId: string): void {
    this.tokens.delete(installationId);
  }

  /** Ends by a time limit of its own: several callers wait, and one of them may give up. */
  private async request(installationId: string): Promise<InstallationToken> {
    try {
      const answer = await this.requests.send({
        provider: 'github',
        method: 'POST',
        url: `${this.settings.apiBase('github')}/app/installations/${encodeURIComponent(installationId)}/access_tokens`,
        route: 'POST /app/installations/{id}/access_tokens',
        owner: `token ${installationId}`,
        token: await this.signAppToken(),
        isRepeatable: true,
        signal: AbortSignal.timeout(REQUEST_TIME_LIMIT_MS),
      });
      const token = textAt(answer.orRefused().json, 'token');
      const expiresAt = dateAt(answer.json, 'expires_at');
      if (token === undefined || expiresAt === undefined) throw vcsErrors.PROVIDER_REFUSED();
      this.tokens.set(installationId, { token, expiresAt });
      return { token, expiresAt };
    } finally {
      this.underWay.delete(installationId);
    }
  }
}

/** The promise goes on for whoever else waits. */
async function untilAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (!signal) return promise;
  let abort = (): void => undefined;
  const aborted = new Promise<never>((_resolve, reject) => {
    abort = () => reject(vcsErrors.PROVIDER_UNAVAILABLE());
    if (signal.aborted) abort();
    else signal.addEventListener('abort', abort, { once: true });
  });
  try {
    return await Promise.race([promise, aborted]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
