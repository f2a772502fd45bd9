import { Body, Controller, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../platform/http/index.js';
import { Caller, OnlyWhile, type Principal, Requires } from '../access/index.js';
import { costErrors } from '../costs/index.js';
import { SyncBillingSourceBody, SyncStartedView } from './dto/billing-source.dto.js';
import { SyncRequests } from './syncing/sync-requests.service.js';

@ApiTags('billing')
@Controller('tenants/:tenantId/billing-sources')
@OnlyWhile('SERVICE_COST_ENABLED', costErrors.COST_DISABLED)
export class BillingSyncsController {
  constructor(private readonly requests: SyncRequests) {}

  /** Loads the files of a billing source; while a sync waits or runs, its task is answered again. */
  @Post(':billingSourceId/sync')
  @Requires('admin', { tenant: 'tenantId' })
  @Answers(202, SyncStartedView)
  @Refuses(400, 503)
  async sync(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Param('billingSourceId') sourceId: string,
    @Body() body: SyncBillingSourceBody,
  ): Promise<SyncStartedView> {
    const task = await this.requests.start({ tenantId, sourceId, caller, windowStart: body.window_start });
    return { status: 'queued', task: { id: task.id, state: task.state } };
  }
}
