import { Module, type OnModuleInit } from '@nestjs/common';
import { DiscoveryModule } from '@nestjs/core';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/index.js';
import { AuditModule } from '../audit/index.js';
import { MqlModule, QueryTables } from '../mql/index.js';
import { TasksModule } from '../tasks/index.js';
import { ConfigurationsModule } from '../configurations/index.js';
import { StatesModule } from '../states/index.js';
import { BundleTokens } from './bundle-tokens.js';
import { ConfigurationAccesses } from './conflicts/configuration-accesses.store.js';
import { ForeignWrites } from './revisions/foreign-writes.service.js';
import { AppliedConfigurations } from './steps/applied-configurations.service.js';
import { ApplySteps } from './steps/apply-steps.service.js';
import { CommitBatches } from './steps/commit-batches.store.js';
import { IdlePlans } from './steps/idle-plans.job.js';
import { LogCommits } from './steps/log-commits.service.js';
import { LoggedEdits } from './log/logged-edits.service.js';
import { TransactionApplication } from './steps/transaction-application.service.js';
import { TransactionConflictsController } from './conflicts/transaction-conflicts.controller.js';
import { TransactionConflicts } from './conflicts/transaction-conflicts.service.js';
import { TransactionEntries } from './log/transaction-entries.queries.js';
import { TransactionLocks } from './conflicts/transaction-locks.service.js';
import { TransactionNodes } from './conflicts/transaction-nodes.store.js';
import { PlanDescribers } from './plan-describers.js';
import { LostSteps } from './steps/transaction-steps.job.js';
import { TransactionSteps } from './steps/transaction-steps.service.js';
import { TransactionWrites } from './conflicts/transaction-writes.service.js';
import { TenantTransactionsController } from './tenant-transactions.controller.js';
import { RevisionsController } from './revisions/revisions.controller.js';
import { RevisionsService } from './revisions/revisions.service.js';
import { TransactionLogs } from './log/transaction-logs.service.js';
import { TransactionContents } from './log/transaction-contents.queries.js';
import { transactionTables } from './transaction-tables.js';
import { TransactionRights } from './transaction-rights.service.js';
import { TransactionScope } from './transaction.scope.js';
import { ReportedContents } from './steps/reported-contents.store.js';
import { SessionTokens } from './steps/session-tokens.js';
import { StepRequests } from './steps/step-requests.service.js';
import { TransactionSessions } from './steps/transaction-sessions.service.js';
import { TransactionsController } from './transactions.controller.js';
import { TransactionQueries } from './transactions.queries.js';
import { TransactionsService } from './transactions.service.js';
import {
  StateRevisionEntity,
  StateRevisionHashEntity,
  TransactionRevisionEntity,
} from './entities/revision.entities.js';
import {
  TransactionAppendEntity,
  TransactionLogEntity,
  TransactionOutputEntity,
} from './entities/transaction-log.entity.js';
import {
  TransactionPlanEntity,
  TransactionPlanOperationEntity,
  TransactionReportEntity,
} from './entities/transaction-plan.entity.js';
import { TransactionStateEntity } from './entities/transaction-state.entity.js';
import { TransactionEntity } from './entities/transaction.entity.js';

const entities = [
  StateRevisionEntity,
  StateRevisionHashEntity,
  TransactionAppendEntity,
  TransactionEntity,
  TransactionLogEntity,
  TransactionOutputEntity,
  TransactionPlanEntity,
  TransactionPlanOperationEntity,
  TransactionReportEntity,
  TransactionRevisionEntity,
  TransactionStateEntity,
];

/** Units of change over states: one for every write, and those that clients begin themselves. */
@Module({
  imports: [
    DiscoveryModule,
    TypeOrmModule.forFeature(entities),
    AccessModule,
    AuditModule,
    ConfigurationsModule,
    MqlModule,
    StatesModule,
    TasksModule,
  ],
  controllers: [
    RevisionsController,
    TenantTransactionsController,
    TransactionConflictsController,
    TransactionsController,
  ],
  providers: [
    PlanDescribers,
    AppliedConfigurations,
    ApplySteps,
    BundleTokens,
    CommitBatches,
    ConfigurationAccesses,
    ForeignWrites,
    IdlePlans,
    LogCommits,
    LoggedEdits,
    LostSteps,
    ReportedContents,
    RevisionsService,
    SessionTokens,
    StepRequests,
    TransactionApplication,
    TransactionConflicts,
    TransactionContents,
    TransactionEntries,
    TransactionLocks,
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
  exports: [
    BundleTokens,
    ConfigurationAccesses,
    PlanDescribers,
    ReportedContents,
    TransactionEntries,
    TransactionNodes,
    TransactionQueries,
    TransactionsService,
  ],
})
export class TransactionsModule implements OnModuleInit {
  constructor(private readonly tables: QueryTables) {}

  onModuleInit(): void {
    this.tables.add(transactionTables);
  }
}
