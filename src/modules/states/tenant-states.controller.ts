import { Body, Controller, Get, Param, Post, Query, Req } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Request } from 'express';
import { Config } from '../../platform/config/config.js';
import {
  Answers,
  AnswersPage,
  pageLimit,
  Refuses,
  StreamedBody,
  TokenPage,
} from '../../platform/http/index.js';
import { Caller, type Principal, Requires, RequiresMember } from '../access/index.js';
import { CreateStateBody, ListStatesQuery, StateListView, StateView } from './dto/state.dto.js';
import { ImportBody } from './writing/import-body.js';
import { StateRowQueries } from './state-rows.queries.js';
import { StatesService } from './states.service.js';

const IMPORT_BODY = {
  type: 'object',
  required: ['name', 'state'],
  properties: {
    name: { type: 'string' },
    state: { type: 'object', additionalProperties: true },
    group_id: { type: 'string', format: 'uuid' },
    workspace: { type: 'string' },
    tags: { type: 'object', additionalProperties: true },
  },
};

@ApiTags('states')
@Controller('tenants/:tenantId/states')
export class TenantStatesController {
  constructor(
    private readonly states: StatesService,
    private readonly rows: StateRowQueries,
    private readonly config: Config,
  ) {}

  /** Lists a tenant's states. */
  @Get()
  @RequiresMember({ tenant: 'tenantId' })
  @AnswersPage(StateListView)
  @Refuses(400)
  async list(
    @Param('tenantId') tenantId: string,
    @Query() query: ListStatesQuery,
  ): Promise<TokenPage<StateListView>> {
    const { rows, next } = await this.rows.list(
      tenantId,
      { search: query.search, order: query.sort, isLocked: query.locked === 'true' },
      pageLimit(query.limit, 100, 1000),
      query.page,
    );
    return new TokenPage({ results: rows }, { next });
  }

  /** Creates an empty state. */
  @Post()
  @Requires('commit', { tenant: 'tenantId' })
  @Answers(201, StateView)
  @Refuses(400, 409)
  async create(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Body() body: CreateStateBody,
  ): Promise<StateView> {
    return this.rows.one(
      await this.states.create(caller, tenantId, {
        name: body.name,
        groupId: body.group_id,
        workspace: body.workspace,
      }),
    );
  }

  /** Creates a state from a document. */
  @Post('import')
  @StreamedBody()
  @Requires('commit', { tenant: 'tenantId' })
  @ApiBody({ schema: IMPORT_BODY as { type: 'object' } })
  @Answers(201, StateView)
  @Refuses(400, 409, 413)
  async import(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Req() request: Request,
  ): Promise<StateView> {
    const body = ImportBody.fromRequest(request, this.config.get('SERVICE_CLIENT_MAX_BODY_SIZE'));
    return this.rows.one(await this.states.import(caller, tenantId, body));
  }
}
