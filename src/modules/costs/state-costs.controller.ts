import { Body, Controller, Delete, Get, Param, Post, Put, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Answers, PageLinks, Refuses } from '../../platform/http/index.js';
import { Caller, Entered, OnlyWhile, type Principal, Requires, RequiresMember } from '../access/index.js';
import type { StateEntity } from '../states/index.js';
import { TaskStartedView } from '../tasks/index.js';
import { costErrors } from './costs.errors.js';
import { ListCostsQuery, StateCostsView, UnsupportedCostsView, UsageView } from './dto/cost.dto.js';
import { StateCosts } from './reports/state-costs.queries.js';
import { sendStateCosts } from './state-costs-response.js';
import { Calculations } from './upkeep/calculations.service.js';
import { UsageService } from './upkeep/usage.service.js';

@ApiTags('costs')
@Controller('states/:stateId/costs')
export class StateCostsController {
  constructor(
    private readonly costs: StateCosts,
    private readonly calculations: Calculations,
    private readonly usage: UsageService,
    private readonly pages: PageLinks,
  ) {}

  /** Shows what a state costs by its latest snapshot, instance by instance. */
  @Get()
  @RequiresMember({ state: 'stateId' })
  @Answers(200, StateCostsView)
  @Refuses(400)
  async find(
    @Entered() state: StateEntity,
    @Query() query: ListCostsQuery,
    @Res() response: Response,
  ): Promise<void> {
    await sendStateCosts(this.costs, { stateId: state.id, query }, { response, pages: this.pages });
  }

  /** Starts a calculation of the whole state; the task's result names the snapshot. */
  @Post('calculate')
  @OnlyWhile('SERVICE_COST_ENABLED', costErrors.COST_DISABLED)
  @RequiresMember({ state: 'stateId' })
  @Answers(202, TaskStartedView)
  @Refuses(503)
  async calculate(@Caller() caller: Principal, @Entered() state: StateEntity): Promise<TaskStartedView> {
    return this.calculations.start(caller, { stateId: state.id, tenantId: state.tenantId });
  }

  /** Lists the instances that are not priced, and why. */
  @Get('unsupported')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, UnsupportedCostsView)
  async unsupported(@Param('stateId') stateId: string): Promise<UnsupportedCostsView> {
    return this.costs.unsupported(stateId);
  }

  /** Shows the usage that the state's components are priced with. */
  @Get('usage')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, UsageView)
  async findUsage(@Entered() state: StateEntity): Promise<UsageView> {
    return this.usage.find({ tenantId: state.tenantId, stateId: state.id });
  }

  /** Replaces the usage of the state, which is then priced again. */
  @Put('usage')
  @Requires('commit', { state: 'stateId' })
  @Answers(200, UsageView)
  @Refuses(400)
  async saveUsage(@Entered() state: StateEntity, @Body() body: UsageView): Promise<UsageView> {
    return this.usage.save({ tenantId: state.tenantId, stateId: state.id }, body);
  }

  /** Deletes the usage of the state, which is then priced again. */
  @Delete('usage')
  @Requires('commit', { state: 'stateId' })
  @Answers(204)
  async deleteUsage(@Entered() state: StateEntity): Promise<void> {
    await this.usage.delete({ tenantId: state.tenantId, stateId: state.id });
  }
}
