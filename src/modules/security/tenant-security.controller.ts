import { Body, Controller, Delete, Get, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Answers, PageLinks, Refuses } from '../../platform/http/index.js';
import { Caller, OnlyWhile, type Principal, Requires, RequiresMember } from '../access/index.js';
import {
  CheckView,
  FindingHistoryQuery,
  FindingHistoryView,
  FindingListView,
  FindingSummaryView,
  ListTenantFindingsQuery,
} from './dto/security.dto.js';
import { CreateWaiverBody, SaveCheckBody, WaiverListView, WaiverView } from './dto/waiver.dto.js';
import { FindingLists } from './findings/finding-lists.service.js';
import { sendFindings } from './findings-response.js';
import { securityErrors } from './security.errors.js';
import { CustomChecksService } from './waivers/custom-checks.service.js';
import { WaiversService } from './waivers/waivers.service.js';

@ApiTags('security')
@Controller('tenants/:tenantId/security')
@OnlyWhile('SERVICE_SECURITY', securityErrors.SECURITY_DISABLED)
export class TenantSecurityController {
  constructor(
    private readonly findings: FindingLists,
    private readonly waivers: WaiversService,
    private readonly customChecks: CustomChecksService,
    private readonly pages: PageLinks,
  ) {}

  /** Lists the open findings of all states of a tenant, worst first. */
  @Get('findings')
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, FindingListView)
  @Refuses(400, 503)
  async list(
    @Param('tenantId') tenantId: string,
    @Query() query: ListTenantFindingsQuery,
    @Res() response: Response,
  ): Promise<void> {
    await sendFindings(this.findings, { place: { tenantId }, query }, { response, pages: this.pages });
  }

  /** Sums up the open findings of all states of a tenant. */
  @Get('findings/summary')
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, FindingSummaryView)
  @Refuses(400, 503)
  async summary(
    @Param('tenantId') tenantId: string,
    @Query() query: ListTenantFindingsQuery,
  ): Promise<FindingSummaryView> {
    return this.findings.summary({ tenantId }, query.state_id);
  }

  /** Shows what was open at the end of each day, by severity and blast radius. */
  @Get('findings/history')
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, FindingHistoryView)
  @Refuses(400, 503)
  async history(
    @Param('tenantId') tenantId: string,
    @Query() query: FindingHistoryQuery,
  ): Promise<FindingHistoryView> {
    return this.findings.history(tenantId, query);
  }

  /** Lists the accepted risks of a tenant, newest first. */
  @Get('waivers')
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, WaiverListView)
  @Refuses(503)
  async listWaivers(@Param('tenantId') tenantId: string): Promise<WaiverListView> {
    return { waivers: await this.waivers.list(tenantId) };
  }

  /** Accepts a risk: findings that match are suppressed at once. */
  @Post('waivers')
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(201, WaiverView)
  @Refuses(400, 503)
  async createWaiver(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Body() body: CreateWaiverBody,
  ): Promise<WaiverView> {
    return this.waivers.create(caller, tenantId, body);
  }

  /** Deletes a waiver, and opens its findings again. */
  @Delete('waivers/:waiverId')
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(204)
  @Refuses(503)
  async deleteWaiver(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Param('waiverId') waiverId: string,
  ): Promise<void> {
    await this.waivers.delete(caller, tenantId, waiverId);
  }

  /** Writes a check of the tenant's own; its states are scanned again. */
  @Put('checks/:checkId')
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(200, CheckView)
  @Refuses(400, 503)
  async saveCheck(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Param('checkId') checkId: string,
    @Body() body: SaveCheckBody,
  ): Promise<CheckView> {
    return this.customChecks.save(caller, { tenantId, checkId }, body);
  }

  /** Deletes a check of the tenant's own; its findings are resolved. */
  @Delete('checks/:checkId')
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(204)
  @Refuses(503)
  async deleteCheck(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Param('checkId') checkId: string,
  ): Promise<void> {
    await this.customChecks.delete(caller, { tenantId, checkId });
  }
}
