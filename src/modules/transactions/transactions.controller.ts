import { Body, Controller, Get, Param, Post, Query, Req, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { Config } from '../../platform/config/config.js';
import { Answers, LargeBody, leavingOf, pageLinks, Refuses } from '../../platform/http/index.js';
import {
  Accepts,
  Caller,
  Entered,
  LimitsCreation,
  type Principal,
  Requires,
  RequiresMember,
  type ScopedRow,
  SignedIn,
} from '../access/index.js';
import { Tasks } from '../tasks/index.js';
import { pageLimit } from '../states/index.js';
import {
  AppendedView,
  CreateSessionBody,
  ListLogsQuery,
  ListPlanOperationsQuery,
  LogListView,
  OutputView,
  PlanOperationListView,
  ReadOutputQuery,
  SessionView,
  StateMapView,
  TransactionDetailsView,
  TransactionView,
} from './dto/transaction.dto.js';
import { ApplyQuery, ApplyView, StepView } from './dto/transaction-step.dto.js';
import { TransactionContents } from './log/transaction-contents.queries.js';
import { TransactionLogs } from './log/transaction-logs.service.js';
import { TransactionSessions } from './steps/transaction-sessions.service.js';
import { type BegunStep, TransactionSteps } from './steps/transaction-steps.service.js';
import { TransactionQueries } from './transactions.queries.js';
import { transactionErrors } from './transactions.errors.js';
import { TransactionsService } from './transactions.service.js';

/** Text, which is parsed so that no number loses a digit. */
const LARGEST_LOG = 32 * 1024 * 1024;
const LOG_ENTRIES = {
  type: 'array' as const,
  maxItems: 10_000,
  items: {
    type: 'object' as const,
    required: ['action', 'object_type'],
    properties: {
      action: { type: 'string' as const },
      object_type: { type: 'string' as const },
      state_id: { type: 'string' as const, format: 'uuid' },
      data: { type: 'object' as const, additionalProperties: true },
    },
  },
};

/** A session's token is good for its own transaction only. */
function ownOnly(caller: Principal, txId: string): Principal {
  if (caller.kind === 'tx' && caller.claims['tx'] !== txId.toLowerCase())
    throw transactionErrors.TX_NOT_FOUND();
  return caller;
}

function toStepView({ taskId, token }: BegunStep, state: StepView['task']['state'] = 'pending'): StepView {
  return { task: { id: taskId, state }, token };
}

@ApiTags('transactions')
@Controller('tx')
export class TransactionsController {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly sessions: TransactionSessions,
    private readonly steps: TransactionSteps,
    private readonly tasks: Tasks,
    private readonly queries: TransactionQueries,
    private readonly contents: TransactionContents,
    private readonly appending: TransactionLogs,
    private readonly config: Config,
  ) {}

  /** A transaction that several runs write into, and the token they write with. */
  @Post('session/create')
  @LimitsCreation('transaction', 3600)
  @SignedIn()
  @Accepts('run')
  @Answers(201, SessionView)
  @Refuses(400, 403, 404)
  async createSession(@Caller() caller: Principal, @Body() body: CreateSessionBody): Promise<SessionView> {
    const { txId, token } = await this.sessions.create(caller, {
      tenantId: body.tenant_id ?? undefined,
      tags: body.tags,
    });
    return { token, tx: await this.queries.one(txId) };
  }

  /** Shows a transaction. */
  @Get(':txId')
  @RequiresMember({ tx: 'txId' })
  @Accepts('tx', 'run')
  @Answers(200, TransactionDetailsView)
  async get(@Caller() caller: Principal, @Param('txId') txId: string): Promise<TransactionDetailsView> {
    ownOnly(caller, txId);
    const [tx, stateIds] = [await this.queries.one(txId), await this.queries.stateIds(txId)];
    return { tx, state_ids: stateIds, share_url: this.queries.shareUrl(tx.id) };
  }

  /** Aborts a transaction; one that was aborted before stays so. */
  @Post(':txId/abort')
  @Requires(['commit', 'preview'], { tx: 'txId' }, { partial: true })
  @Accepts('tx', 'run')
  @Answers(200, TransactionView)
  @Refuses(409)
  async abort(@Caller() caller: Principal, @Param('txId') txId: string): Promise<TransactionView> {
    await this.transactions.abort(ownOnly(caller, txId), txId);
    return this.queries.one(txId);
  }

  /** Lists a transaction's log entries in the order they were appended. A page ends early at 8 MiB. */
  @Get(':txId/logs')
  @RequiresMember({ tx: 'txId' })
  @Accepts('tx')
  @Answers(200, LogListView)
  @Refuses(400)
  async logs(
    @Caller() caller: Principal,
    @Param('txId') txId: string,
    @Entered() { tenantId }: ScopedRow,
    @Query() query: ListLogsQuery,
    @Req() request: Request,
    @Res() response: Response,
  ): Promise<void> {
    ownOnly(caller, txId);
    const { results, next } = await this.contents.logs(
      { id: txId, tenantId },
      pageLimit(query.limit, 1000, 10_000),
      query.page,
      leavingOf(response),
    );
    this.link({ next }, request, response);
    // The entries are JSON text already, so that no number loses a digit.
    const more = next === undefined ? '' : `,"next_page":${JSON.stringify(next)}`;
    response.type('application/json').send(`{"results":[${results.join(',')}]${more}}`);
  }

  /** All entries in order, or none; at most 10,000 at a time, and 128 MiB for one transaction. */
  @Post(':txId/logs/append')
  @Requires(['commit', 'preview'], { tx: 'txId' }, { partial: true })
  @Accepts('tx', 'run')
  @LargeBody('bytes', LARGEST_LOG)
  @ApiBody({ schema: LOG_ENTRIES })
  @Answers(200, AppendedView)
  @Refuses(400, 409, 413)
  async append(
    @Caller() caller: Principal,
    @Param('txId') id: string,
    @Entered() { tenantId }: ScopedRow,
    @Body() body: unknown,
  ): Promise<AppendedView> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    return { appended: await this.appending.append(ownOnly(caller, id), { id, tenantId }, bytes) };
  }

  /** A runner plans it: the task ends with what it reports. */
  @Post(':txId/preview')
  @Requires('preview', { tx: 'txId' }, { partial: true })
  @Accepts('run')
  @Answers(200, StepView)
  @Refuses(409)
  async preview(@Caller() caller: Principal, @Param('txId') txId: string): Promise<StepView> {
    return toStepView(await this.steps.preview(caller, txId));
  }

  /** The runner may change the infrastructure, unless another transaction was first. A session ends with it. */
  @Post(':txId/commit')
  @Requires('commit', { tx: 'txId' }, { partial: true })
  @Accepts('tx', 'run')
  @Answers(200, StepView)
  @Refuses(400, 409)
  async commit(@Caller() caller: Principal, @Param('txId') txId: string): Promise<StepView> {
    if (await this.sessions.isSession(txId))
      return toStepView(await this.sessions.commit(ownOnly(caller, txId), txId), 'completed');
    return toStepView(await this.steps.commit(ownOnly(caller, txId), txId));
  }

  /** Puts what was logged into the states, or what a runner reported and could not be put in before. */
  @Post(':txId/apply')
  @Requires('commit', { tx: 'txId' }, { partial: true })
  @Answers(200, ApplyView)
  @Refuses(400, 409)
  async apply(
    @Caller() caller: Principal,
    @Param('txId') id: string,
    @Entered() { tenantId }: ScopedRow,
    @Query() { replace = 'delta' }: ApplyQuery,
  ): Promise<ApplyView> {
    return { task: await this.tasks.stateOf(await this.steps.apply(caller, { id, tenantId }, replace)) };
  }

  /** Lists the planned operations, ordered by address. */
  @Get(':txId/plan-operations')
  @RequiresMember({ tx: 'txId' })
  @Accepts('run')
  @Answers(200, PlanOperationListView)
  @Refuses(400)
  async planOperations(
    @Param('txId') txId: string,
    @Query() query: ListPlanOperationsQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<PlanOperationListView> {
    const { results, next, prev } = await this.contents.operations(
      txId,
      pageLimit(query.limit, 200, 1000),
      query.page,
    );
    this.link({ next, prev }, request, response);
    return { results, ...(next === undefined ? {} : { next_page: next }) };
  }

  /** Shows the runner's output as base64 fragments. */
  @Get(':txId/output')
  @RequiresMember({ tx: 'txId' })
  @Answers(200, OutputView)
  @Refuses(400)
  async output(
    @Param('txId') txId: string,
    @Query() query: ReadOutputQuery,
    @Req() request: Request,
    @Res({ passthrough: true }) response: Response,
  ): Promise<OutputView> {
    const { payload, results, next, prev } = await this.contents.output(
      txId,
      pageLimit(query.limit, 1, 1000),
      query.page,
    );
    this.link({ next, prev }, request, response);
    return {
      ...(payload === undefined ? {} : { payload }),
      results,
      ...(next === undefined ? {} : { next_page: next }),
    };
  }

  /** Lists the ids of the states that belong to a transaction. */
  @Get(':txId/state-map')
  @RequiresMember({ tx: 'txId' })
  @Accepts('tx')
  @Answers(200, StateMapView)
  async stateMap(@Caller() caller: Principal, @Param('txId') txId: string): Promise<StateMapView> {
    ownOnly(caller, txId);
    return { results: await this.queries.stateIds(txId) };
  }

  private link(
    tokens: { next: string | undefined; prev?: string | undefined },
    request: Request,
    response: Response,
  ): void {
    const links = pageLinks(request, this.config.get('SERVICE_UI_BASE'), tokens);
    if (links !== undefined) response.set('Link', links);
  }
}
