import { Body, Controller, Delete, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiOkResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { CursorQuery } from '../../platform/http/cursor-page.js';
import { Answers, Refuses, RequiredQuery } from '../../platform/http/index.js';
import { Caller, type Principal, Requires } from '../access/index.js';
import {
  AddMemberBody,
  MemberPageView,
  MemberView,
  RemovedMemberView,
  SetRoleBody,
} from './dto/members.dto.js';
import { MemberQueries } from './members.queries.js';
import { MembersService } from './members.service.js';

@ApiTags('members')
@Controller('tenants/:tenantId/members')
export class MembersController {
  constructor(
    private readonly members: MembersService,
    private readonly queries: MemberQueries,
  ) {}

  /** Lists a tenant's members. */
  @Get()
  @Requires('users-manage', { tenant: 'tenantId' }, { administers: true })
  @Answers(200, MemberPageView)
  @Refuses(400)
  list(@Param('tenantId') tenantId: string, @Query() query: CursorQuery): Promise<MemberPageView> {
    return this.queries.list(tenantId, query);
  }

  /** 201 for a new membership, 200 for one that exists. */
  @Post()
  @Requires('users-manage', { tenant: 'tenantId' }, { administers: true })
  @Answers(201, MemberView)
  @ApiOkResponse({ type: MemberView, description: 'was a member already' })
  @Refuses(400)
  async add(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Body() body: AddMemberBody,
    @Res({ passthrough: true }) response: Response,
  ): Promise<MemberView> {
    const { member, created } = await this.members.add(caller, tenantId, body.user_id);
    response.status(created ? 201 : 200);
    return member;
  }

  /** Changes a member's rights in the tenant. */
  @Post('set-role')
  @Requires('users-manage', { tenant: 'tenantId' }, { administers: true })
  @Answers(200, MemberView)
  @Refuses(400, 409)
  setRole(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Query('user_id', RequiredQuery) userId: string,
    @Body() body: SetRoleBody,
  ): Promise<MemberView> {
    return this.members.setRole(caller, tenantId, userId, body);
  }

  /** Removes a member from a tenant. */
  @Delete()
  @Requires('users-manage', { tenant: 'tenantId' }, { administers: true })
  @Answers(200, RemovedMemberView)
  @Refuses(409)
  async remove(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Query('user_id', RequiredQuery) userId: string,
  ): Promise<RemovedMemberView> {
    return { user_id: await this.members.remove(caller, tenantId, userId), removed: true };
  }
}
