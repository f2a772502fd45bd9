import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AuditModule } from '../audit/index.js';
import { MqlModule, QueryTables } from '../mql/index.js';
import { TasksModule } from '../tasks/index.js';
import { BundleTokens } from './bundle-tokens.js';
import { TenantTransactionsController } from './tenant-transactions.controller.js';
import { RevisionsController } from './revisions.controller.js';
import { RevisionsService } from './revisions.service.js';
import { TransactionLogs } from './transaction-logs.service.js';
import { TransactionContents } from './transaction-contents.queries.js';
import { transactionTables } from './transaction-tables.js';
import { TransactionScope } from './transaction.scope.js';
import { TransactionSessions } from './transaction-sessions.service.js';
import { TransactionsController } from './transactions.controller.js';
import { TransactionQueries } from './transactions.queries.js';
import { TransactionsService } from './transactions.service.js';

/** Units of change over states: one for every write, and those that clients begin themselves. */
@Module({
  imports: [AccessModule, AuditModule, MqlModule, TasksModule],
  controllers: [RevisionsController, TenantTransactionsController, TransactionsController],
  providers: [
    BundleTokens,
    RevisionsService,
    TransactionContents,
    TransactionLogs,
    TransactionQueries,
    TransactionScope,
    TransactionSessions,
    TransactionsService,
  ],
})
export class TransactionsModule implements OnModuleInit {
  constructor(private readonly tables: QueryTables) {}

  onModuleInit(): void {
    this.tables.add(transactionTables);
  }
}
