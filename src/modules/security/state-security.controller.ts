import { Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Answers, AnswersPage, pageLimit, PageLinks, Refuses, TokenPage } from '../../platform/http/index.js';
import { Caller, Entered, OnlyWhile, type Principal, RequiresMember } from '../access/index.js';
import { type StateEntity } from '../states/index.js';
import { TaskStartedView } from '../tasks/index.js';
import {
  FindingListView,
  FindingSummaryView,
  ListFindingsQuery,
  ListScansQuery,
  ScanListView,
} from './dto/security.dto.js';
import { FindingLists } from './findings/finding-lists.service.js';
import { toScanView } from './findings/finding.view.js';
import { SecuritySummaries } from './findings/summary.queries.js';
import { sendFindings } from './findings-response.js';
import { ScanRequests } from './scanning/scan-requests.service.js';
import { securityErrors } from './security.errors.js';

@ApiTags('security')
@Controller('states/:stateId/security')
@OnlyWhile('SERVICE_SECURITY', securityErrors.SECURITY_DISABLED)
export class StateSecurityController {
  constructor(
    private readonly findings: FindingLists,
    private readonly summaries: SecuritySummaries,
    private readonly requests: ScanRequests,
    private readonly pages: PageLinks,
  ) {}

  /** Lists the open findings of a state's latest scan, worst first. */
  @Get('findings')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, FindingListView)
  @Refuses(400, 503)
  async list(
    @Entered() state: StateEntity,
    @Query() query: ListFindingsQuery,
    @Res() response: Response,
  ): Promise<void> {
    const place = { tenantId: state.tenantId, stateId: state.id };
    await sendFindings(this.findings, { place, query }, { response, pages: this.pages });
  }

  /** Sums up the open findings of a state by severity and check. */
  @Get('findings/summary')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, FindingSummaryView)
  @Refuses(503)
  async summary(@Entered() state: StateEntity): Promise<FindingSummaryView> {
    return this.findings.summary({ tenantId: state.tenantId, stateId: state.id });
  }

  /** Starts a scan of the whole state; the task's result names the scan. */
  @Post('scan')
  @RequiresMember({ state: 'stateId' })
  @Answers(202, TaskStartedView)
  @Refuses(503)
  async scan(@Caller() caller: Principal, @Entered() state: StateEntity): Promise<TaskStartedView> {
    return this.requests.start(caller, { stateId: state.id, tenantId: state.tenantId });
  }

  /** Lists the scans of a state, newest first. */
  @Get('scans')
  @RequiresMember({ state: 'stateId' })
  @AnswersPage(ScanListView)
  @Refuses(400, 503)
  async scans(
    @Param('stateId') stateId: string,
    @Query() query: ListScansQuery,
  ): Promise<TokenPage<ScanListView>> {
    const limit = pageLimit(query.limit, 50, 500);
    const { rows, total, next } = await this.summaries.scans(stateId, query.kind, {
      limit,
      page: query.page,
    });
    return new TokenPage({ scans: rows.map(toScanView), limit, total_count: total }, { next });
  }
}
