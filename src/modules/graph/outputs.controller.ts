import { Controller, Get, Param, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Answers } from '../../platform/http/index.js';
import { RequiresMember } from '../access/index.js';
import { OutputValueListView } from './dto/graph.dto.js';
import { OutputQueries } from './outputs.queries.js';

@ApiTags('graph')
@Controller('states/:stateId/outputs')
export class OutputsController {
  constructor(private readonly outputs: OutputQueries) {}

  /** Lists the outputs of a state's current document. */
  @Get()
  @RequiresMember({ state: 'stateId' })
  @Answers(200, OutputValueListView)
  async list(@Param('stateId') stateId: string, @Res() response: Response): Promise<void> {
    response.type('application/json').send(`{"results":${await this.outputs.list(stateId)}}`);
  }
}
