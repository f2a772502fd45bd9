import { type ExecutionContext, Injectable, Logger } from '@nestjs/common';
import { AuthGuard } from '@nestjs/passport';
import type { Request, Response } from 'express';
import { calculatePKCECodeChallenge } from 'openid-client';
import { Config } from '../../platform/config/config.js';
import { AppError } from '../../platform/errors/index.js';
import { authErrors } from './auth.errors.js';
import { ATTEMPT_COOKIE, type LoginAttempt } from './login-attempt.js';
import { OAuthLogin } from './oauth-login.js';
import { SignInAttempts } from './sign-in-attempts.js';
import type { IdentityClaims } from './sign-in-client.js';
import { OPENID, type OpenIdOptions } from './openid.strategy.js';

/** A request whose sign-in the provider has confirmed. */
export interface ConfirmedRequest extends Request {
  claims: IdentityClaims;
  attempt: LoginAttempt;
}

async function optionsFor(
  step: OpenIdOptions['step'],
  attempt: LoginAttempt,
): Promise<OpenIdOptions & object> {
  const challenge = await calculatePKCECodeChallenge(attempt.verifier);
  return {
    step,
    attempt,
    challenge,
    state: attempt.state,
    session: false,
    property: 'claims',
  } as OpenIdOptions;
}

/** Answers with a redirect to the provider; the handler behind it never runs. */
@Injectable()
export class OpenIdBeginGuard extends AuthGuard(OPENID) {
  constructor(
    private readonly config: Config,
    private readonly attempts: SignInAttempts,
  ) {
    super();
  }

  override async getAuthenticateOptions(context: ExecutionContext): Promise<OpenIdOptions> {
    const http = context.switchToHttp();
    const request = http.getRequest<Request<{ provider: string }>>();
    const rd = request.query['rd'];
    const { attempt, sealed } = await this.attempts.begin(
      request.params.provider,
      typeof rd === 'string' ? rd : undefined,
      request.ip ?? '',
    );
    http.getResponse<Response>().cookie(ATTEMPT_COOKIE, sealed, {
      httpOnly: true,
      sameSite: 'lax',
      secure: this.config.get('SERVICE_UI_BASE').startsWith('https:'),
      path: '/',
      maxAge: 600_000,
    });
    return optionsFor('begin', attempt);
  }

  override handleRequest<T>(error: unknown): T {
    throw error instanceof AppError ? error : authErrors.LOGIN_FAILED();
  }
}

/** Lets a request through whose code the provider has redeemed. */
@Injectable()
export class OpenIdCallbackGuard extends AuthGuard(OPENID) {
  private readonly logger = new Logger('OpenIdCallbackGuard');

  constructor(
    private readonly attempts: SignInAttempts,
    private readonly login: OAuthLogin,
  ) {
    super();
  }

  override async canActivate(context: ExecutionContext): Promise<boolean> {
    try {
      return (await super.canActivate(context)) as boolean;
    } catch (error) {
      if (context.switchToHttp().getRequest<ConfirmedRequest>().attempt) await this.login.recordRefusal();
      throw error;
    }
  }

  override async getAuthenticateOptions(context: ExecutionContext): Promise<OpenIdOptions> {
    const request = context.switchToHttp().getRequest<ConfirmedRequest>();
    const cookies = request.cookies as Record<string, unknown>;
    const address = request.ip ?? '';
    const provider = String(request.params['provider']);
    request.attempt = await this.attempts.openAttempt(
      { provider, address, state: request.query['state'] },
      cookies[ATTEMPT_COOKIE],
    );
    await this.attempts.prepareRedemption(request.query['code']);
    return optionsFor('complete', request.attempt);
  }

  /** Whatever the provider denies is a failed sign-in; the reason is logged without its text, which may quote a token. */
  override handleRequest<T>(error: unknown, claims: T): T {
    if (claims) return claims;
    if (error instanceof AppError) throw error;
    this.logger.warn({ msg: 'sign-in failed', kind: error instanceof Error ? error.name : typeof error });
    throw authErrors.LOGIN_FAILED();
  }
}
