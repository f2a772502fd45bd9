import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/index.js';
import { AuditModule } from '../audit/index.js';
import { ConfigurationsModule } from '../configurations/index.js';
import { GraphModule } from '../graph/index.js';
import { MqlModule, QueryTables } from '../mql/index.js';
import { StatesModule } from '../states/index.js';
import { TasksModule } from '../tasks/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { CustomCheckEntity } from './entities/custom-check.entity.js';
import {
  FindingCountEntity,
  FindingDayEntity,
  FindingEntity,
  PlannedFindingEntity,
  ReachEntity,
} from './entities/finding.entities.js';
import { ImpactEntity, ScanEntity, ScanTransactionEntity } from './entities/scan.entities.js';
import { NetworkJudgementEntity } from './entities/network-judgement.entity.js';
import { SecurityStateEntity } from './entities/security-state.entity.js';
import { WaiverEntity } from './entities/waiver.entity.js';
import { CatchUpTasks } from './findings/catch-up-tasks.js';
import { CheckCatalogue } from './findings/check-catalogue.js';
import { CheckFailures } from './findings/check-failures.js';
import { ScanMetrics } from './findings/scan-metrics.js';
import { CheckSets } from './findings/check-sets.js';
import { CustomChecks } from './findings/custom-checks.store.js';
import { FindingLists } from './findings/finding-lists.service.js';
import { FindingQueries } from './findings/findings.queries.js';
import { Findings } from './findings/findings.store.js';
import { ReachStore } from './findings/reach.store.js';
import { Scans } from './findings/scans.store.js';
import { securityTables } from './findings/security-tables.js';
import { SecuritySummaries } from './findings/summary.queries.js';
import { TenantEstates } from './findings/tenant-estates.js';
import { TenantLock } from './findings/tenant-lock.js';
import { PlanFindingsDescriber } from './impact/plan-findings.describer.js';
import { Impacts } from './impact/impacts.service.js';
import { PlanImpactJobs } from './impact/plan-impact.job.js';
import { PlanCircumstances } from './impact/plan-circumstances.js';
import { PlanScanner } from './impact/plan-scanner.service.js';
import { PlannedImpacts } from './impact/planned-impacts.store.js';
import { CatchUpJobs } from './scanning/catch-up.job.js';
import { DueStates } from './scanning/due-states.queries.js';
import { FindingRenewal } from './scanning/finding-renewal.js';
import { LossRecorder } from './scanning/loss-recorder.js';
import { LossScanner } from './scanning/loss-scanner.service.js';
import { Losses } from './scanning/losses.store.js';
import { ScanJobs } from './scanning/scan-state.job.js';
import { ScanRequests } from './scanning/scan-requests.service.js';
import { ScannedRows } from './findings/scanned-rows.queries.js';
import { ScanWork } from './scanning/scan-work.service.js';
import { StateScanner } from './scanning/state-scanner.service.js';
import { SecurityChecksController } from './security-checks.controller.js';
import { StateSecurityController } from './state-security.controller.js';
import { TenantSecurityController } from './tenant-security.controller.js';
import { TransactionSecurityController } from './transaction-security.controller.js';
import { CustomChecksService } from './waivers/custom-checks.service.js';
import { WaiversService } from './waivers/waivers.service.js';
import { Waivers } from './waivers/waivers.store.js';

const entities = [
  CustomCheckEntity,
  FindingCountEntity,
  FindingDayEntity,
  FindingEntity,
  ImpactEntity,
  NetworkJudgementEntity,
  PlannedFindingEntity,
  ReachEntity,
  ScanEntity,
  ScanTransactionEntity,
  SecurityStateEntity,
  WaiverEntity,
];

/** Security scanning: what is wrong, who can reach it, what depends on it, and what was accepted. */
@Module({
  imports: [
    TypeOrmModule.forFeature(entities),
    AccessModule,
    AuditModule,
    ConfigurationsModule,
    GraphModule,
    MqlModule,
    StatesModule,
    TasksModule,
    TransactionsModule,
  ],
  controllers: [
    SecurityChecksController,
    StateSecurityController,
    TenantSecurityController,
    TransactionSecurityController,
  ],
  providers: [
    PlanFindingsDescriber,
    CatchUpJobs,
    CatchUpTasks,
    CheckCatalogue,
    CheckFailures,
    ScanMetrics,
    CheckSets,
    CustomChecks,
    CustomChecksService,
    DueStates,
    FindingLists,
    FindingQueries,
    FindingRenewal,
    Findings,
    Impacts,
    Losses,
    LossRecorder,
    LossScanner,
    PlanCircumstances,
    PlanImpactJobs,
    PlannedImpacts,
    PlanScanner,
    ReachStore,
    ScanJobs,
    ScanRequests,
    ScannedRows,
    Scans,
    ScanWork,
    SecuritySummaries,
    StateScanner,
    TenantEstates,
    TenantLock,
    Waivers,
    WaiversService,
  ],
})
export class SecurityModule implements OnModuleInit {
  constructor(
    private readonly tables: QueryTables,
    private readonly checks: CheckSets,
  ) {}

  onModuleInit(): void {
    const titles = new Map(this.checks.registry.checks.map(({ id, title }) => [id, title]));
    this.tables.add(securityTables(titles));
  }
}
