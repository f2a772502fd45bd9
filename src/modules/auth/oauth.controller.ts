import { Controller, Get, Param, Query, Req, Res, UseGuards } from '@nestjs/common';
import { ApiExcludeEndpoint, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Config } from '../../platform/config/config.js';
import { httpErrors } from '../../platform/errors/index.js';
import { Answers, browserPath, ownDestination, Refuses } from '../../platform/http/index.js';
import { CallerIfAny, type Principal, Public } from '../access/index.js';
import { RedirectQuery } from './dto/auth.dto.js';
import { ATTEMPT_COOKIE } from './login-attempt.js';
import { OAuthLogin } from './oauth-login.js';
import { type ConfirmedRequest, OpenIdBeginGuard, OpenIdCallbackGuard } from './openid.guards.js';
import { Sessions } from './sessions.js';

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
  @UseGuards(OpenIdBeginGuard)
  @Answers(302)
  @Refuses(429, 503)
  begin(@Param('provider') _provider: string, @Query() _query: RedirectQuery): void {
    // The guard has answered.
  }

  /** The redirect target registered at the provider; it stands outside of `/api/v1`. */
  @Get('oauth2/:provider/callback')
  @Public()
  @UseGuards(OpenIdCallbackGuard)
  @ApiExcludeEndpoint()
  async callback(
    @Param('provider') provider: string,
    @Req() { claims, attempt }: ConfirmedRequest,
    @Res() response: Response,
  ): Promise<void> {
    const token = await this.oauth.finish(claims);
    response.clearCookie(ATTEMPT_COOKIE, { path: '/' });
    this.sessions.setCookie(response, token);
    const further = attempt.rd === undefined ? '' : `?rd=${encodeURIComponent(attempt.rd)}`;
    const next = `/api/v1/oauth2/${encodeURIComponent(provider)}/complete${further}` as const;
    response.redirect(302, browserPath(this.config.get('SERVICE_UI_BASE'), next));
  }

  /** The last step of a sign-in: redirects the browser to the page that it asked for. */
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
