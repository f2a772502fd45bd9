import { Body, Controller, Get, Param, Post, Query, Res } from '@nestjs/common';
import { ApiBody, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import {
  Answers,
  AnswersPage,
  LargeBody,
  leavingOf,
  pageLimit,
  PageLinks,
  Refuses,
  TokenPage,
} from '../../platform/http/index.js';
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
import { IdempotencyKey, TakesAppendKey, TakesStepKey } from './dto/idempotency-key.js';
import { ApplyQuery, ApplyView, StepView } from './dto/transaction-step.dto.js';
import { TransactionContents } from './log/transaction-contents.queries.js';
import { TransactionLogs } from './log/transaction-logs.service.js';
import { StepRequests } from './steps/step-requests.service.js';
import { TransactionSessions } from './steps/transaction-sessions.service.js';
import type { BegunStep } from './steps/transaction-steps.service.js';
import { TransactionQueries } from './transactions.queries.js';
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

function toStepView({ taskId, token }: BegunStep, state: StepView['task']['state'] = 'pending'): StepView {
  return { task: { id: taskId, state }, token };
}

@ApiTags('transactions')
@Controller('tx')
export class TransactionsController {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly sessions: TransactionSessions,
    private readonly requests: StepRequests,
    private readonly tasks: Tasks,
    private readonly queries: TransactionQueries,
    private readonly contents: TransactionContents,
    private readonly appending: TransactionLogs,
    private readonly pages: PageLinks,
  ) {}

  /** Creates a transaction that several runs write into, and the token they write with. */
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
  async get(@Param('txId') txId: string): Promise<TransactionDetailsView> {
    const [tx, stateIds] = [await this.queries.one(txId), await this.queries.stateIds(txId)];
    return { tx, state_ids: stateIds, share_url: this.queries.shareUrl(tx.id) };
  }

  /** Aborts a transaction. Aborting it again has no further effect. */
  @Post(':txId/abort')
  @Requires(['commit', 'preview'], { tx: 'txId' }, { partial: true })
  @Accepts('tx', 'run')
  @Answers(200, TransactionView)
  @Refuses(409)
  async abort(@Caller() caller: Principal, @Param('txId') txId: string): Promise<TransactionView> {
    await this.transactions.abort(caller, txId);
    return this.queries.one(txId);
  }

  /** Lists a transaction's log entries in the order they were appended. A page ends early at 8 MiB. */
  @Get(':txId/logs')
  @RequiresMember({ tx: 'txId' })
  @Accepts('tx')
  @Answers(200, LogListView)
  @Refuses(400)
  async logs(
    @Param('txId') txId: string,
    @Entered() { tenantId }: ScopedRow,
    @Query() query: ListLogsQuery,
    @Res() response: Response,
  ): Promise<void> {
    const { results, next } = await this.contents.logs(
      { id: txId, tenantId },
      pageLimit(query.limit, 1000, 10_000),
      query.page,
      leavingOf(response),
    );
    this.pages.set(response, { next });
    // The entries are JSON text already, so that no number loses a digit.
    const more = next === undefined ? '' : `,"next_page":${JSON.stringify(next)}`;
    response.type('application/json').send(`{"results":[${results.join(',')}]${more}}`);
  }

  /** Appends log entries in order, all or none: at most 10,000 at a time, and 128 MiB for one transaction. */
  @Post(':txId/logs/append')
  @Requires(['commit', 'preview'], { tx: 'txId' }, { partial: true })
  @Accepts('tx', 'run')
  @TakesAppendKey()
  @LargeBody('bytes', LARGEST_LOG)
  @ApiBody({ schema: LOG_ENTRIES })
  @Answers(200, AppendedView)
  @Refuses(400, 409, 413)
  async append(
    @Caller() caller: Principal,
    @Param('txId') id: string,
    @Entered() { tenantId }: ScopedRow,
    @Body() body: unknown,
    @IdempotencyKey() key: string | undefined,
  ): Promise<AppendedView> {
    const bytes = Buffer.isBuffer(body) ? body : Buffer.alloc(0);
    return { appended: await this.appending.append(caller, { id, tenantId }, bytes, key) };
  }

  /** Begins the preview of a transaction: a runner plans it, and the task ends with the runner's report. */
  @Post(':txId/preview')
  @Requires('preview', { tx: 'txId' }, { partial: true })
  @Accepts('run')
  @TakesStepKey()
  @Answers(200, StepView)
  @Refuses(400, 409)
  async preview(
    @Caller() caller: Principal,
    @Param('txId') txId: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<StepView> {
    return toStepView(await this.requests.preview(caller, txId, key));
  }

  /** Begins the commit of a transaction, unless another one committed first. A session ends at once. */
  @Post(':txId/commit')
  @Requires('commit', { tx: 'txId' }, { partial: true })
  @Accepts('tx', 'run')
  @TakesStepKey()
  @Answers(200, StepView)
  @Refuses(400, 409)
  async commit(
    @Caller() caller: Principal,
    @Param('txId') txId: string,
    @IdempotencyKey() key: string | undefined,
  ): Promise<StepView> {
    const { isDone, ...step } = await this.requests.commit(caller, txId, key);
    return toStepView(step, isDone ? 'completed' : 'pending');
  }

  /** Applies what was logged to the states, or a runner's report that could not be applied before. */
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
    return { task: await this.tasks.stateOf(await this.requests.apply(caller, { id, tenantId }, replace)) };
  }

  /** Lists the planned operations, ordered by address. */
  @Get(':txId/plan-operations')
  @RequiresMember({ tx: 'txId' })
  @Accepts('run')
  @AnswersPage(PlanOperationListView)
  @Refuses(400)
  async planOperations(
    @Param('txId') txId: string,
    @Query() query: ListPlanOperationsQuery,
  ): Promise<TokenPage<PlanOperationListView>> {
    const { results, next, prev } = await this.contents.operations(
      txId,
      pageLimit(query.limit, 200, 1000),
      query.page,
    );
    return new TokenPage({ results }, { next, prev });
  }

  /** Shows the runner's output as base64 fragments. */
  @Get(':txId/output')
  @RequiresMember({ tx: 'txId' })
  @AnswersPage(OutputView)
  @Refuses(400)
  async output(@Param('txId') txId: string, @Query() query: ReadOutputQuery): Promise<TokenPage<OutputView>> {
    const { payload, results, next, prev } = await this.contents.output(
      txId,
      pageLimit(query.limit, 1, 1000),
      query.page,
    );
    return new TokenPage({ ...(payload === undefined ? {} : { payload }), results }, { next, prev });
  }

  /** Lists the ids of the states that belong to a transaction. */
  @Get(':txId/state-map')
  @RequiresMember({ tx: 'txId' })
  @Accepts('tx')
  @Answers(200, StateMapView)
  async stateMap(@Param('txId') txId: string): Promise<StateMapView> {
    return { results: await this.queries.stateIds(txId) };
  }
}
