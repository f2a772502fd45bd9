import { Controller, Get, Ip, Param, Query, Req, Res } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Config } from '../../platform/config/config.js';
import { httpErrors } from '../../platform/errors/index.js';
import { Answers, ownDestination, Refuses } from '../../platform/http/index.js';
import { CallerIfAny, type Principal, Public } from '../access/index.js';
import { RedirectQuery } from './dto/auth.dto.js';
import { type CallbackQuery, OAuthLogin } from './oauth-login.js';
import { Sessions } from './sessions.js';

/** Keeps the sealed attempt while the browser is at the provider. */
const ATTEMPT_COOKIE = 'login_attempt';

@ApiTags('sign-in')
@Controller()
export class OAuthController {
  constructor(
    private readonly config: Config,
    private readonly oauth: OAuthLogin,
    private readonly sessions: Sessions,
  ) {}

  /** Starts a sign-in with a provider: redirects to it. */
  @Get('login/:provider')
  @Public()
  @Answers(302)
  @Refuses(429, 503)
  async begin(
    @Param('provider') provider: string,
    @Query() query: RedirectQuery,
    @Ip() address: string,
    @Res() response: Response,
  ): Promise<void> {
    const { location, sealed } = await this.oauth.begin(provider, query.rd, address);
    const secure = this.config.get('SERVICE_UI_BASE').startsWith('https:');
    response.cookie(ATTEMPT_COOKIE, sealed, {
      httpOnly: true,
      sameSite: 'lax',
      secure,
      path: '/',
      maxAge: 600_000,
    });
    response.redirect(302, location);
  }

  /** The redirect target registered at the provider; it stands outside of `/api/v1`. */
  @Get('oauth2/:provider/callback')
  @Public()
  @ApiExcludeEndpoint()
  async callback(
    @Param('provider') provider: string,
    @Query() query: CallbackQuery,
    @Ip() address: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const cookies = request.cookies as Record<string, unknown>;
    const { token, rd } = await this.oauth.finish(provider, query, cookies[ATTEMPT_COOKIE], address);
    response.clearCookie(ATTEMPT_COOKIE, { path: '/' });
    this.sessions.setCookie(response, token);
    const further = rd === undefined ? '' : `?rd=${encodeURIComponent(rd)}`;
    response.redirect(302, `/api/v1/oauth2/${encodeURIComponent(provider)}/complete${further}`);
  }

  /** The last step of a sign-in: the cookie is there, the browser goes where it wanted to. */
  @Get('oauth2/:provider/complete')
  @Public({ identifies: true })
  @Answers(302)
  @Refuses(401)
  complete(
    @CallerIfAny() caller: Principal | undefined,
    @Param('provider') _provider: string,
    @Query() query: RedirectQuery,
    @Res() response: Response,
  ): void {
    if (!caller) throw httpErrors.UNAUTHENTICATED();
    response.redirect(302, ownDestination(query.rd, this.config.get('SERVICE_UI_BASE')));
  }
}
