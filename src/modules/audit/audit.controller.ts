import { Controller, Get, Param, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../platform/http/index.js';
import { Requires } from '../access/index.js';
import { AuditQueries } from './audit.queries.js';
import { AuditPageView, ListAuditQuery } from './dto/audit.dto.js';

@ApiTags('audit')
@Controller()
export class AuditController {
  constructor(private readonly audit: AuditQueries) {}

  /** Lists the audit entries of the installation, newest first. */
  @Get('audit')
  @Requires('admin', 'installation')
  @Answers(200, AuditPageView)
  @Refuses(400)
  list(@Query() query: ListAuditQuery): Promise<AuditPageView> {
    return this.audit.list(query);
  }

  /** Lists the audit entries of a tenant, newest first. */
  @Get('tenants/:tenantId/audit')
  @Requires('admin', { tenant: 'tenantId' }, { administers: true })
  @Answers(200, AuditPageView)
  @Refuses(400)
  listOfTenant(@Param('tenantId') tenantId: string, @Query() query: ListAuditQuery): Promise<AuditPageView> {
    return this.audit.list(query, tenantId);
  }
}
