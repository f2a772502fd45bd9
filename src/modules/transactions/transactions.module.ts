import { Module, type OnModuleInit } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AuditModule } from '../audit/index.js';
import { MqlModule, QueryTables } from '../mql/index.js';
import { TasksModule } from '../tasks/index.js';
import { ConfigurationsModule } from '../configurations/index.js';
import { StatesModule } from '../states/index.js';
import { BundleTokens } from './bundle-tokens.js';
import { ConfigurationAccesses } from './configuration-accesses.store.js';
import { ForeignWrites } from './foreign-writes.service.js';
import { IdlePlans } from './idle-plans.job.js';
import { LogCommits } from './log-commits.service.js';
import { LoggedEdits } from './logged-edits.service.js';
import { ReportParts } from './report-parts.store.js';
import { ReadingService } from './reading.service.js';
import { RunnerReports } from './runner-reports.service.js';
import { TransactionApplication } from './transaction-application.service.js';
import { TransactionConflictsController } from './transaction-conflicts.controller.js';
import { TransactionConflicts } from './transaction-conflicts.service.js';
import { TransactionEntries } from './transaction-entries.queries.js';
import { TransactionNodes } from './transaction-nodes.store.js';
import { LostSteps } from './transaction-steps.job.js';
import { TransactionSteps } from './transaction-steps.service.js';
import { TransactionWrites } from './transaction-writes.service.js';
import { TenantTransactionsController } from './tenant-transactions.controller.js';
import { RevisionsController } from './revisions.controller.js';
import { RevisionsService } from './revisions.service.js';
import { TransactionLogs } from './transaction-logs.service.js';
import { TransactionContents } from './transaction-contents.queries.js';
import { transactionTables } from './transaction-tables.js';
import { TransactionRights } from './transaction-rights.service.js';
import { TransactionScope } from './transaction.scope.js';
import { TransactionSessions } from './transaction-sessions.service.js';
import { TransactionsController } from './transactions.controller.js';
import { TransactionQueries } from './transactions.queries.js';
import { TransactionsService } from './transactions.service.js';

/** Units of change over states: one for every write, and those that clients begin themselves. */
@Module({
  imports: [AccessModule, AuditModule, ConfigurationsModule, MqlModule, StatesModule, TasksModule],
  controllers: [
    RevisionsController,
    TenantTransactionsController,
    TransactionConflictsController,
    TransactionsController,
  ],
  providers: [
    BundleTokens,
    ConfigurationAccesses,
    ForeignWrites,
    IdlePlans,
    LogCommits,
    LoggedEdits,
    LostSteps,
    ReportParts,
    ReadingService,
    RevisionsService,
    RunnerReports,
    TransactionApplication,
    TransactionConflicts,
    TransactionContents,
    TransactionEntries,
    TransactionLogs,
    TransactionNodes,
    TransactionQueries,
    TransactionRights,
    TransactionScope,
    TransactionSessions,
    TransactionSteps,
    TransactionWrites,
    TransactionsService,
  ],
  exports: [BundleTokens, ConfigurationAccesses, RunnerReports, TransactionEntries, TransactionNodes],
})
export class TransactionsModule implements OnModuleInit {
  constructor(private readonly tables: QueryTables) {}

  onModuleInit(): void {
    this.tables.add(transactionTables);
  }
}
