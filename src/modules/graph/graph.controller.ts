import { Controller, Get, Param, Query, Res } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { Answers, AnswersPage, pageLimit, PageLinks, Refuses, TokenPage } from '../../platform/http/index.js';
import { Caller, type Principal, RequiresMember } from '../access/index.js';
import { BlastRadiusService } from './reach/blast-radius.service.js';
import {
  BlastRadiusQuery,
  BlastRadiusView,
  InstanceListView,
  ListInstancesQuery,
  ListModulesQuery,
  ModuleListView,
  StateSummaryView,
} from './dto/graph.dto.js';
import { GraphView, ReadGraphQuery } from './dto/neighbourhood.dto.js';
import { InstanceQueries } from './instances/instances.queries.js';
import { NeighbourhoodService } from './reach/neighbourhood.service.js';
import { SummaryQueries } from './summaries/summaries.queries.js';

const TYPES = {
  type: 'object',
  additionalProperties: {
    type: 'object',
    required: ['instances'],
    properties: { instances: { type: 'integer' } },
  },
};

@ApiTags('graph')
@Controller('states/:stateId')
export class GraphController {
  constructor(
    private readonly instances: InstanceQueries,
    private readonly summaries: SummaryQueries,
    private readonly radius: BlastRadiusService,
    private readonly neighbourhood: NeighbourhoodService,
    private readonly pages: PageLinks,
  ) {}

  /** Lists a state's instances with their attributes, ordered by address. */
  @Get('instances')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, InstanceListView)
  @Refuses(400)
  async list(
    @Param('stateId') stateId: string,
    @Query() query: ListInstancesQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { results, next } = await this.instances.list(
      stateId,
      query.q ?? '',
      pageLimit(query.limit, 100, 1000),
      query.page,
    );
    this.pages.set(response, { next });
    // The rows are JSON text already, and too many bytes to hash for an ETag that nobody asks for.
    const body = Buffer.from(
      `{"results":${results}${next === undefined ? '' : `,"next_page":${JSON.stringify(next)}`}}`,
    );
    response.type('application/json').set('Content-Length', String(body.length)).end(body);
  }

  /** Lists the instances that depend on an instance, nearest first, across linked states. */
  @Get('instances/:address/blast-radius')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, BlastRadiusView)
  @Refuses(400)
  async blastRadius(
    @Caller() caller: Principal,
    @Param('stateId') stateId: string,
    @Param('address') address: string,
    @Query() query: BlastRadiusQuery,
  ): Promise<BlastRadiusView> {
    const all = Number.MAX_SAFE_INTEGER;
    return this.radius.findBlastRadius(caller, stateId, address, pageLimit(query.limit, all, all));
  }

  /** Shows the dependency graph around an instance, or around the best connected ones of a state. */
  @Get('graph')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, GraphView)
  @Refuses(400)
  async graph(
    @Caller() caller: Principal,
    @Param('stateId') stateId: string,
    @Query() query: ReadGraphQuery,
  ): Promise<GraphView> {
    return this.neighbourhood.read(caller, stateId, query);
  }

  /** Lists a state's modules with their counts. */
  @Get('modules')
  @RequiresMember({ state: 'stateId' })
  @AnswersPage(ModuleListView)
  @Refuses(400)
  async modules(
    @Param('stateId') stateId: string,
    @Query() query: ListModulesQuery,
  ): Promise<TokenPage<ModuleListView>> {
    const { rows, next } = await this.summaries.modules(
      stateId,
      pageLimit(query.limit, 1000, 10_000),
      query.page,
    );
    return new TokenPage({ results: rows }, { next });
  }

  /** Counts a state's instances, resources, modules, providers and edges. */
  @Get('summary')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, StateSummaryView)
  async summary(@Param('stateId') stateId: string): Promise<StateSummaryView> {
    return this.summaries.ofState(stateId);
  }

  /** Counts a state's instances by resource type. */
  @Get('resources/summary')
  @RequiresMember({ state: 'stateId' })
  @Answers(200, TYPES)
  async resourcesSummary(@Param('stateId') stateId: string): Promise<Record<string, { instances: number }>> {
    return this.summaries.typesOfState(stateId);
  }
}
