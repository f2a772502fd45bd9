import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import {
  Answers,
  AnswersPage,
  LargeBody,
  pageLimit,
  Refuses,
  TokenPage,
} from '../../../platform/http/index.js';
import { Accepts, Caller, Entered, type Principal, Requires, RequiresMember } from '../../access/index.js';
import type { StateEntity } from '../../states/index.js';
import {
  ChangedNodesView,
  CompareRevisionBody,
  ListRevisionNodesQuery,
  RecordRevisionBody,
  RevisionHashView,
  RevisionNodeListView,
} from '../dto/revision.dto.js';
import { RevisionsService } from './revisions.service.js';
import { transactionErrors } from '../transactions.errors.js';

/** Thousands of hashes at a time. */
const LARGEST_RECORD = 32 * 1024 * 1024;

@ApiTags('transactions')
@Controller('states/:stateId/revision')
export class RevisionsController {
  constructor(private readonly revisions: RevisionsService) {}

  /** Records hashes of configuration blocks with a transaction. Applying it stores them with the state. */
  @Post()
  @Requires(['commit', 'preview'], { state: 'stateId' })
  @Accepts('run')
  @LargeBody('json', LARGEST_RECORD)
  @Answers(200, { type: 'object' })
  @Refuses(400, 404, 409)
  async record(
    @Caller() caller: Principal,
    @Entered() state: StateEntity,
    @Body() { tx_id: txId, nodes }: RecordRevisionBody,
  ): Promise<Record<string, never>> {
    await this.revisions.record(caller, state, txId, nodes);
    return {};
  }

  /** Compares the configuration hashes recorded with a transaction with the state's. */
  @Post('compare')
  @RequiresMember({ state: 'stateId' })
  @Accepts('run')
  @Answers(200, ChangedNodesView)
  @Refuses(400, 404)
  async compare(
    @Entered() state: StateEntity,
    @Body() { tx_id: txId }: CompareRevisionBody,
  ): Promise<ChangedNodesView> {
    const { changed, removed } = await this.revisions.compare(state.id, state.tenantId, txId);
    return { node_ids: changed, ...(removed.length > 0 ? { removed } : {}) };
  }

  /** Shows one hash over all configuration hashes of a state. */
  @Post('hash')
  @RequiresMember({ state: 'stateId' })
  @Accepts('run')
  @Answers(200, RevisionHashView)
  @Refuses(404)
  async hash(@Entered() state: StateEntity): Promise<RevisionHashView> {
    const hash = await this.revisions.hash(state.id);
    if (hash === undefined) throw transactionErrors.REVISION_NOT_FOUND();
    return { hash };
  }

  /** Lists the configuration hashes of a state by node id. A client that knows them sends only those that changed. */
  @Get('nodes')
  @RequiresMember({ state: 'stateId' })
  @Accepts('run')
  @AnswersPage(RevisionNodeListView)
  @Refuses(400)
  async nodes(
    @Param('stateId') stateId: string,
    @Query() query: ListRevisionNodesQuery,
  ): Promise<TokenPage<RevisionNodeListView>> {
    const { results, next } = await this.revisions.nodes(
      stateId,
      pageLimit(query.limit, 10_000, 50_000),
      query.page,
    );
    return new TokenPage({ results }, { next });
  }
}
