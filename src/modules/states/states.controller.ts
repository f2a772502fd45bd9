import { Controller, Delete, Get, Param, Req, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Answers, Refuses } from '../../platform/http/index.js';
import { Accepts, Caller, Entered, type Principal, Requires, RequiresMember } from '../access/index.js';
import { sendDocument } from './history/document-response.js';
import { DeletedStateView, StateView } from './dto/state.dto.js';
import type { StateEntity } from './entities/state.entity.js';
import { StateDeletion } from './state-deletion.service.js';
import { StatesService } from './states.service.js';
import { StateRowQueries } from './state-rows.queries.js';

@ApiTags('states')
@Controller('states/:stateId')
export class StatesController {
  constructor(
    private readonly states: StatesService,
    private readonly rows: StateRowQueries,
    private readonly deletion: StateDeletion,
  ) {}

  /** Shows a state without its document. */
  @Get()
  @RequiresMember({ state: 'stateId' })
  @Accepts('run')
  @Answers(200, StateView)
  async get(@Entered() state: StateEntity): Promise<StateView> {
    return this.rows.one(state);
  }

  /** Downloads the current document of a state. */
  @Get('export')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, { type: 'object', additionalProperties: true })
  async export(
    @Param('stateId') stateId: string,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    await sendDocument(request, response, await this.states.export(stateId));
  }

  /** Deletes a state with its document, versions and graph. */
  @Delete()
  @Requires('admin', { state: 'stateId' })
  @Answers(200, DeletedStateView)
  @Refuses(500)
  async delete(@Caller() caller: Principal, @Param('stateId') stateId: string): Promise<DeletedStateView> {
    await this.deletion.delete(caller, stateId);
    return { id: stateId, deleted: true };
  }
}
