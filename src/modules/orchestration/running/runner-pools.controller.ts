import { Body, Controller, Delete, Get, Param, Post } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../../platform/http/index.js';
import { Caller, OnlyWhile, type Principal, Requires } from '../../access/index.js';
import { CreatedPoolView, CreatePoolBody, PoolListView } from '../dto/runner.dto.js';
import { vcsErrors } from '../../vcs/index.js';
import { RunnerPools } from './runner-pools.service.js';

const whileEnabled = OnlyWhile('SERVICE_ORCHESTRATION_ENABLED', vcsErrors.ORCHESTRATION_DISABLED);

@ApiTags('runners')
@Controller('tenants/:tenantId/runner-pools')
export class RunnerPoolsController {
  constructor(private readonly pools: RunnerPools) {}

  /** Makes a pool; its token is shown once. */
  @Post()
  @whileEnabled
  @Requires('admin', { tenant: 'tenantId' }, { administers: true })
  @Answers(201, CreatedPoolView)
  @Refuses(400, 409, 503)
  create(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Body() body: CreatePoolBody,
  ): Promise<CreatedPoolView> {
    return this.pools.create(caller, tenantId, body.name);
  }

  /** Pools of the tenant by name; none while orchestration is off. */
  @Get()
  @Requires('admin', { tenant: 'tenantId' }, { administers: true })
  @Answers(200, PoolListView)
  async list(@Param('tenantId') tenantId: string): Promise<PoolListView> {
    return { results: await this.pools.list(tenantId) };
  }

  /** Deletes a pool; its token ends. */
  @Delete(':poolId')
  @whileEnabled
  @Requires('admin', { tenant: 'tenantId' }, { administers: true })
  @Answers(204)
  @Refuses(404, 503)
  async remove(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Param('poolId') poolId: string,
  ): Promise<void> {
    await this.pools.remove(caller, tenantId, poolId);
  }
}
