import { Body, Controller, Get, Ip, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Config } from '../../platform/config/config.js';
import { Answers, leavingOf, ownDestination, Refuses } from '../../platform/http/index.js';
import { Caller, CallerIfAny, type Principal, Public, SignedIn } from '../access/index.js';
import { CurrentUserQueries } from './current-user.queries.js';
import {
  CurrentUserView,
  LoginOptionsView,
  PasswordLoginBody,
  PasswordLoginView,
  RedirectQuery,
} from './dto/auth.dto.js';
import { loginOptions } from './login-options.rules.js';
import { PasswordLogin } from './password-login.js';
import { Sessions } from './sessions.js';

@ApiTags('sign-in')
@Controller()
export class AuthController {
  constructor(
    private readonly config: Config,
    private readonly passwords: PasswordLogin,
    private readonly sessions: Sessions,
    private readonly users: CurrentUserQueries,
  ) {}

  /** Shows the caller and what they may do. */
  @Get('whoami')
  @SignedIn()
  @Answers(200, CurrentUserView)
  whoami(@Caller() caller: Principal): Promise<CurrentUserView> {
    return this.users.viewOf(caller);
  }

  /** Lists the ways to sign in. */
  @Get('login/options')
  @Public()
  @Answers(200, LoginOptionsView)
  options(): LoginOptionsView {
    return { options: loginOptions(this.config.values) };
  }

  /** Signs in with email address and password. */
  @Post('login/password')
  @Public()
  @Answers(200, PasswordLoginView)
  @Refuses(400, 401, 403, 429)
  async login(
    @Body() body: PasswordLoginBody,
    @Ip() address: string,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PasswordLoginView> {
    const token = await this.passwords.login(body, address, leavingOf(response));
    this.sessions.setCookie(response, token);
    return { session_token: token, success: true };
  }

  /** Ends the session, clears the cookie and goes on to `rd`. */
  @Get('logout')
  @Public({ identifies: true })
  @Answers(302)
  async logout(
    @CallerIfAny() caller: Principal | undefined,
    @Query() query: RedirectQuery,
    @Res() response: Response,
  ): Promise<void> {
    if (caller) await this.sessions.end(caller);
    this.sessions.clearCookie(response);
    response.redirect(302, ownDestination(query.rd, this.config.get('SERVICE_UI_BASE')));
  }
}
