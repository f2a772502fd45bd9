import { Controller, Get, Param, Query, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Config } from '../../../platform/config/config.js';
import { Answers, nextPageLink, Refuses } from '../../../platform/http/index.js';
import { RequiresMember } from '../../access/index.js';
import { ListTenantSubmissionsQuery, TenantSubmissionListView } from '../dto/version.dto.js';
import { pageLimit } from '../page-limit.js';
import { SubmissionQueries } from '../submission.queries.js';
import { toTenantSubmissionView } from '../state.view.js';

@ApiTags('versions')
@Controller('tenants/:tenantId/submissions')
export class TenantSubmissionsController {
  constructor(
    private readonly queries: SubmissionQueries,
    private readonly config: Config,
  ) {}

  /** Lists documents of any state of a tenant that were refused or merged, newest first. */
  @Get()
  @RequiresMember({ tenant: 'tenantId' })
  @Answers(200, TenantSubmissionListView)
  @Refuses(400)
  async list(
    @Param('tenantId') tenantId: string,
    @Query() query: ListTenantSubmissionsQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<TenantSubmissionListView> {
    const { rows, next } = await this.queries.ofTenant(
      tenantId,
      { status: query.status, from: query.from, to: query.to },
      pageLimit(query.limit, 100, 1000),
      query.page,
    );
    if (next !== undefined)
      response.set('Link', nextPageLink(request, this.config.get('SERVICE_UI_BASE'), next));
    return { results: rows.map(toTenantSubmissionView), ...(next === undefined ? {} : { next_page: next }) };
  }
}
