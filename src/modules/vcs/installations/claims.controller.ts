import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { CookieOptions, Request, Response } from 'express';
import { Answers, Refuses } from '../../../platform/http/index.js';
import { Caller, OnlyWhile, type Principal, Requires, SignedIn } from '../../access/index.js';
import { ATTEMPT_LIFETIME_MS } from '../accounts/authorization-attempts.js';
import { ReturnQuery } from '../dto/accounts.dto.js';
import {
  ClaimableListView,
  ClaimInstallationBody,
  TenantInstallationView,
  UnclaimedListView,
  UnclaimedQuery,
} from '../dto/installations.dto.js';
import { VcsSettings } from '../hosts/vcs-settings.js';
import { vcsErrors } from '../vcs.errors.js';
import { CLAIM_PROOF_COOKIE } from './claim-proof.js';
import { ClaimsService } from './claims.service.js';
import { toClaimableView, toTenantInstallationView } from './installation.view.js';
import { InstallationLists } from './installation-lists.service.js';

/** Keeps the sealed attempt while the browser is at the provider. */
const ATTEMPT_COOKIE = 'vcs_claim';
const whileEnabled = OnlyWhile('SERVICE_ORCHESTRATION_ENABLED', vcsErrors.ORCHESTRATION_DISABLED);

@ApiTags('code hosting')
@Controller()
export class ClaimsController {
  constructor(
    private readonly claims: ClaimsService,
    private readonly lists: InstallationLists,
    private readonly settings: VcsSettings,
  ) {}

  /**
   * Redirects the browser to the provider, to prove that the caller administers an installation. On failure it redirects
   * back to `rd` with `github_claim=unavailable`, `not_member` or `error`.
   */
  @Get('tenants/:tenantId/vcs-installations/github/claim/start')
  @SignedIn()
  @whileEnabled
  @Answers(302)
  @Refuses(400, 503)
  start(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Query() { rd }: ReturnQuery,
    @Res() response: Response,
  ): void {
    const { location, sealed } = this.claims.start(caller, tenantId, rd);
    if (sealed !== undefined)
      response.cookie(ATTEMPT_COOKIE, sealed, this.cookie('/vcs-installations/github/claim'));
    response.redirect(302, location);
  }

  /** The provider sends the browser back here. Sets the proof cookie and redirects to `rd`; links nothing. */
  @Get('vcs-installations/github/claim/callback')
  @SignedIn()
  @whileEnabled
  @Answers(302)
  @Refuses(503)
  async finish(
    @Caller() caller: Principal,
    @Query() query: { code?: unknown; state?: unknown },
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    const { location, proof } = await this.claims.finish(caller, query, cookieOf(request, ATTEMPT_COOKIE));
    const { maxAge: _, ...attempt } = this.cookie('/vcs-installations/github/claim');
    response.clearCookie(ATTEMPT_COOKIE, attempt);
    if (proof)
      response.cookie(
        CLAIM_PROOF_COOKIE,
        proof.sealed,
        this.cookie(`/tenants/${proof.tenantId}/vcs-installations`),
      );
    response.redirect(302, location);
  }

  /** Lists the unlinked installations that the caller proved to administer; 412 without the proof cookie. */
  @Get('tenants/:tenantId/vcs-installations/github/claimable')
  @Requires('admin', { tenant: 'tenantId' })
  @whileEnabled
  @Answers(200, ClaimableListView)
  @Refuses(412, 503)
  async listClaimable(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Req() request: Request,
  ): Promise<ClaimableListView> {
    const proof = cookieOf(request, CLAIM_PROOF_COOKIE);
    return { results: (await this.claims.listClaimable(caller, tenantId, proof)).map(toClaimableView) };
  }

  /** Links an installation that the caller proved to administer. */
  @Post('tenants/:tenantId/vcs-installations/github/claim')
  @Requires('admin', { tenant: 'tenantId' })
  @whileEnabled
  @Answers(200, TenantInstallationView)
  @Refuses(400, 409, 412, 503)
  async claim(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Body() body: ClaimInstallationBody,
    @Req() request: Request,
  ): Promise<TenantInstallationView> {
    const proof = cookieOf(request, CLAIM_PROOF_COOKIE);
    return toTenantInstallationView(
      await this.claims.claim(caller, tenantId, body.installation_core_id, proof),
    );
  }

  /** Lists the installations of the app that are linked to no tenant. */
  @Get('vcs-installations/github/unclaimed')
  @Requires('admin', 'installation')
  @Answers(200, UnclaimedListView)
  @Refuses(400)
  async listUnclaimed(@Query() query: UnclaimedQuery): Promise<UnclaimedListView> {
    const { rows, limit, next } = await this.lists.listUnclaimed(query);
    return { results: rows.map(toClaimableView), limit, has_more: next !== null, next_cursor: next };
  }

  private cookie(route: string): CookieOptions {
    return {
      httpOnly: true,
      sameSite: 'lax',
      secure: this.settings.usesTls,
      path: this.settings.cookiePath(route),
      maxAge: ATTEMPT_LIFETIME_MS,
    };
  }
}

function cookieOf(request: Request, name: string): unknown {
  return (request.cookies as Record<string, unknown>)[name];
}
