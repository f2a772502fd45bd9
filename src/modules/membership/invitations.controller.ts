import { Body, Controller, Get, Ip, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { CursorQuery } from '../../platform/http/cursor-page.js';
import { Answers, Refuses, RequiredQuery } from '../../platform/http/index.js';
import { AcceptsOnly, Caller, type Principal, Public, Requires, SignedIn } from '../access/index.js';
import {
  AcceptedInvitationView,
  AcceptInvitationBody,
  CreateInvitationBody,
  InvitationPageView,
  InvitationPreviewView,
  SentInvitationView,
} from './dto/invitations.dto.js';
import { InvitationAcceptance } from './invitation-acceptance.js';
import { InvitationQueries } from './invitations.queries.js';
import { InvitationsService } from './invitations.service.js';

@ApiTags('invitations')
@Controller()
export class InvitationsController {
  constructor(
    private readonly invitations: InvitationsService,
    private readonly acceptance: InvitationAcceptance,
    private readonly queries: InvitationQueries,
  ) {}

  /** Lists a tenant's invitations, newest first. */
  @Get('tenants/:tenantId/invitations')
  @Requires('users-manage', { tenant: 'tenantId' }, { administers: true })
  @Answers(200, InvitationPageView)
  @Refuses(400)
  list(@Param('tenantId') tenantId: string, @Query() query: CursorQuery): Promise<InvitationPageView> {
    return this.queries.list(tenantId, query);
  }

  /** Invites an email address into a tenant. */
  @Post('tenants/:tenantId/invitations')
  @Requires('users-manage', { tenant: 'tenantId' }, { administers: true })
  @Answers(201, SentInvitationView)
  @Refuses(400, 409, 429)
  create(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Body() body: CreateInvitationBody,
  ): Promise<SentInvitationView> {
    return this.invitations.create(caller, tenantId, body);
  }

  /** Makes a new link for an invitation and sends it again. */
  @Post('tenants/:tenantId/invitations/reissue')
  @Requires('users-manage', { tenant: 'tenantId' }, { administers: true })
  @Answers(200, SentInvitationView)
  @Refuses(409, 429)
  reissue(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Query('id', RequiredQuery) id: string,
  ): Promise<SentInvitationView> {
    return this.invitations.reissue(caller, tenantId, id);
  }

  /** Revokes an invitation. */
  @Post('tenants/:tenantId/invitations/revoke')
  @Requires('users-manage', { tenant: 'tenantId' }, { administers: true })
  @Answers(204)
  @Refuses(409)
  revoke(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Query('id', RequiredQuery) id: string,
  ): Promise<void> {
    return this.invitations.revoke(caller, tenantId, id);
  }

  /** Shows what an invitation link leads to. */
  @Get('invitations/preview')
  @Public()
  @Answers(200, InvitationPreviewView)
  @Refuses(404, 409, 410, 429)
  preview(
    @Query('token', RequiredQuery) token: string,
    @Ip() address: string,
  ): Promise<InvitationPreviewView> {
    return this.acceptance.preview(token, address);
  }

  /** Accepts an invitation as the caller. */
  @Post('invitations/accept')
  @SignedIn()
  @AcceptsOnly(['session'])
  @Answers(200, AcceptedInvitationView)
  @Refuses(400, 404, 409, 410, 429)
  accept(
    @Caller() caller: Principal,
    @Body() body: AcceptInvitationBody,
    @Ip() address: string,
  ): Promise<AcceptedInvitationView> {
    return this.acceptance.accept(caller, body.token, address);
  }
}
