import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { AnswersPage, pageLimit, Refuses, TokenPage } from '../../../platform/http/index.js';
import { RequiresMember } from '../../access/index.js';
import { ListTenantSubmissionsQuery, TenantSubmissionListView } from '../dto/version.dto.js';
import { SubmissionQueries } from '../submission.queries.js';
import { toTenantSubmissionView } from '../state.view.js';

@ApiTags('versions')
@Controller('tenants/:tenantId/submissions')
export class TenantSubmissionsController {
  constructor(private readonly queries: SubmissionQueries) {}

  /** Lists documents of any state of a tenant that were refused or merged, newest first. */
  @Get()
  @RequiresMember({ tenant: 'tenantId' })
  @AnswersPage(TenantSubmissionListView)
  @Refuses(400)
  async list(
    @Param('tenantId') tenantId: string,
    @Query() query: ListTenantSubmissionsQuery,
  ): Promise<TokenPage<TenantSubmissionListView>> {
    const { rows, next } = await this.queries.ofTenant(
      tenantId,
      { status: query.status, from: query.from, to: query.to },
      pageLimit(query.limit, 100, 1000),
      query.page,
    );
    return new TokenPage({ results: rows.map(toTenantSubmissionView) }, { next });
  }
}
