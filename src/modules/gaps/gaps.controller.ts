import { Body, Controller, Delete, Get, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Answers, Refuses } from '../../platform/http/index.js';
import { Caller, type Principal, Requires, RequiresMember } from '../access/index.js';
import {
  CloudProviderQuery,
  GapAnalysisQuery,
  GapAnalysisView,
  GapConfigView,
  GapPendingView,
  GapSettingsBody,
  ImportBody,
  ImportTextsView,
} from './dto/gaps.dto.js';
import { GapAnalysis } from './comparison/gap-analysis.service.js';
import { GapSettings } from './settings/gap-settings.service.js';
import { ImportRequests } from './importing/import-requests.service.js';

@ApiTags('gap analysis')
@Controller('tenants/:tenantId/gaps')
export class GapsController {
  constructor(
    private readonly settings: GapSettings,
    private readonly analysis: GapAnalysis,
    private readonly imports: ImportRequests,
  ) {}

  /** Shows which cloud a tenant sees, and what is missing before a scan. */
  @Get('config')
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, GapConfigView)
  @Refuses(400)
  async showConfig(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Query() { provider }: CloudProviderQuery,
  ): Promise<GapConfigView> {
    return this.settings.show(caller, { tenantId, provider });
  }

  /** Sets which cloud a tenant sees, and forgets what was found before. */
  @Put('config')
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(200, GapConfigView)
  @Refuses(400, 503)
  async replaceConfig(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Body() body: GapSettingsBody,
  ): Promise<GapConfigView> {
    return this.settings.replace(caller, tenantId, body);
  }

  /** Removes the settings of a cloud, with what was found in it. */
  @Delete('config')
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(204)
  @Refuses(400)
  async deleteConfig(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Query() { provider }: CloudProviderQuery,
  ): Promise<void> {
    await this.settings.delete(caller, { tenantId, provider });
  }

  /**
   * Lists the cloud's resources that no state manages. The first request starts a scan and is answered 202 until it ends;
   * the comparison with the states is made at the time of each request.
   */
  @Get()
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, GapAnalysisView)
  @ApiResponse({ status: 202, description: 'a scan is running, or failed', type: GapPendingView })
  @Refuses(400, 409)
  async analyze(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Query() query: GapAnalysisQuery,
    @Res() response: Response,
  ): Promise<void> {
    await this.analysis.send(caller, { tenantId, query }, response);
  }

  /** Writes Terraform configuration that imports resources. Asks no cloud and works without settings. */
  @Post('import')
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, ImportTextsView)
  @Refuses(400)
  async generateImport(
    @Param('tenantId') tenantId: string,
    @Body() body: ImportBody,
  ): Promise<ImportTextsView> {
    return this.imports.write(tenantId, body);
  }
}
