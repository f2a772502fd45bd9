import { Controller, Get, Query } from '@nestjs/common';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { Answers, Refuses } from '../../platform/http/index.js';
import { Entered, RequiresMember } from '../access/index.js';
import type { StateEntity } from '../states/index.js';
import { SpendQuery, StateSpendView } from './dto/spend.dto.js';
import { SpendQueries } from './spend/spend.queries.js';

@ApiTags('billing')
@Controller('states/:stateId/costs')
@ApiParam({ name: 'stateId', type: String })
export class StateSpendController {
  constructor(private readonly spend: SpendQueries) {}

  /** Shows what was billed for the instances of a state. */
  @Get('actuals')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, StateSpendView)
  @Refuses(400)
  async actuals(@Entered() state: StateEntity, @Query() query: SpendQuery): Promise<StateSpendView> {
    return this.spend.ofState({ id: state.id, tenantId: state.tenantId }, query.currency);
  }
}
