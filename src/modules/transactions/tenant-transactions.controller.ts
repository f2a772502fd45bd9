import { Body, Controller, Get, Param, Post, Query } from '@nestjs/common';
import { ApiTags } from '@nestjs/swagger';
import { Answers, AnswersPage, pageLimit, Refuses, TokenPage } from '../../platform/http/index.js';
import { timeBound } from '../../platform/time/time-bound.rules.js';
import {
  Accepts,
  Caller,
  LimitsCreation,
  type Principal,
  Requires,
  RequiresMember,
} from '../access/index.js';
import {
  CreateTransactionBody,
  ListTransactionsQuery,
  TransactionListView,
  TransactionView,
} from './dto/transaction.dto.js';
import { TransactionQueries } from './transactions.queries.js';
import { TransactionsService } from './transactions.service.js';

@ApiTags('transactions')
@Controller('tenants/:tenantId/tx')
export class TenantTransactionsController {
  constructor(
    private readonly transactions: TransactionsService,
    private readonly queries: TransactionQueries,
  ) {}

  /** Lists a tenant's transactions, newest first. */
  @Get()
  @RequiresMember({ tenant: 'tenantId' })
  @AnswersPage(TransactionListView)
  @Refuses(400)
  async list(
    @Param('tenantId') tenantId: string,
    @Query() query: ListTransactionsQuery,
  ): Promise<TokenPage<TransactionListView>> {
    const filter = {
      from: timeBound('from', query.from),
      to: timeBound('to', query.to),
      states: query.state ?? null,
      stateId: query.state_id ?? null,
      createdBy: query.created_by ?? null,
    };
    const limit = pageLimit(query.limit, 100, 1000);
    const { rows, next } = await this.queries.ofTenant(tenantId, filter, limit, query.page);
    return new TokenPage({ results: rows }, { next });
  }

  /** Creates a transaction. */
  @Post('create')
  @LimitsCreation('transaction', 3600)
  @Requires(['commit', 'preview'], { tenant: 'tenantId' }, { partial: true })
  @Accepts('run')
  @Answers(201, TransactionView)
  @Refuses(400)
  async create(
    @Caller() caller: Principal,
    @Param('tenantId') tenantId: string,
    @Body() body: CreateTransactionBody,
  ): Promise<TransactionView> {
    const { params, tags, state_schema_version: version } = body;
    const wanted = { kind: 'plan', tenantId: tenantId.toLowerCase(), params, tags } as const;
    return this.queries.one(await this.transactions.create(caller, wanted, version));
  }
}
