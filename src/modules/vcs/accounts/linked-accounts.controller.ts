import { Controller, Delete, Get, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Answers, Refuses } from '../../../platform/http/index.js';
import { AcceptsOnly, Caller, OnlyWhile, type Principal, SignedIn } from '../../access/index.js';
import { CodeHostingUserView, ReturnQuery } from '../dto/accounts.dto.js';
import type { Provider } from '../entities/installation.entity.js';
import { vcsErrors } from '../vcs.errors.js';
import { AccountLinkingService, type CallbackQuery } from './account-linking.service.js';
import { ATTEMPT_LIFETIME_MS } from './authorization-attempts.js';
import { LinkedAccountsService } from './linked-accounts.service.js';

/** Keeps the sealed attempt while the browser is at the provider. */
const COOKIE = 'vcs_link';

/** The same routes for each provider. */
abstract class LinkedAccountsController {
  protected abstract readonly provider: Provider;

  constructor(
    private readonly linking: AccountLinkingService,
    private readonly accounts: LinkedAccountsService,
  ) {}

  /** Shows the caller's linked account; 403 without one. */
  @Get('whoami')
  @SignedIn()
  @Answers(200, CodeHostingUserView)
  @Refuses(403)
  async show(@Caller() caller: Principal): Promise<CodeHostingUserView> {
    const { username, avatarUrl } = await this.accounts.require(caller, this.provider);
    return { username, ...(avatarUrl === null ? {} : { avatar_url: avatarUrl }) };
  }

  /** Redirects the browser to the provider, where the caller authorizes the linking. */
  @Get('link/start')
  @SignedIn()
  @AcceptsOnly(['session'])
  @OnlyWhile('SERVICE_ORCHESTRATION_ENABLED', vcsErrors.ORCHESTRATION_DISABLED)
  @Answers(302)
  @Refuses(400, 503)
  start(@Caller() caller: Principal, @Query() { rd }: ReturnQuery, @Res() response: Response): void {
    const { location, sealed } = this.linking.start(caller, this.provider, rd);
    response.cookie(COOKIE, sealed, {
      httpOnly: true,
      sameSite: 'lax',
      secure: this.linking.usesTls,
      path: '/',
      maxAge: ATTEMPT_LIFETIME_MS,
    });
    response.redirect(302, location);
  }

  /** The provider sends the browser back here; goes on to `rd`, with `<provider>_link=error` when it failed. */
  @Get('link/callback')
  @SignedIn()
  @AcceptsOnly(['session'])
  @OnlyWhile('SERVICE_ORCHESTRATION_ENABLED', vcsErrors.ORCHESTRATION_DISABLED)
  @Answers(302)
  @Refuses(503)
  async finish(
    @Caller() caller: Principal,
    @Query() query: CallbackQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const cookies = request.cookies as Record<string, unknown>;
    const location = await this.linking.finish(caller, this.provider, query, cookies[COOKIE]);
    response.clearCookie(COOKIE, { path: '/' });
    response.redirect(302, location);
  }

  /** Unlinks the caller's account and deletes its tokens. */
  @Delete('link')
  @SignedIn()
  @AcceptsOnly(['session'])
  @OnlyWhile('SERVICE_ORCHESTRATION_ENABLED', vcsErrors.ORCHESTRATION_DISABLED)
  @Answers(204)
  @Refuses(503)
  async unlink(@Caller() caller: Principal): Promise<void> {
    await this.accounts.unlink(caller, this.provider);
  }
}

@ApiTags('code hosting')
@Controller('github')
export class GithubAccountsController extends LinkedAccountsController {
  protected readonly provider = 'github';

  constructor(linking: AccountLinkingService, accounts: LinkedAccountsService) {
    super(linking, accounts);
  }
}

@ApiTags('code hosting')
@Controller('gitlab')
export class GitlabAccountsController extends LinkedAccountsController {
  protected readonly provider = 'gitlab';

  constructor(linking: AccountLinkingService, accounts: LinkedAccountsService) {
    super(linking, accounts);
  }
}
