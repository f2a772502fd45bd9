import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/index.js';
import { ConfigurationsModule } from '../configurations/index.js';
import { StatesModule } from '../states/index.js';
import { TasksModule } from '../tasks/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { BundleGeneration } from './bundle-generation.service.js';
import { BundleRequests } from './bundle-requests.service.js';
import { ReportedSteps } from './reported-steps.service.js';
import { RunnerSteps } from './runner-steps.queries.js';
import { BundlesController } from './bundles.controller.js';
import { Bundles } from './bundles.service.js';
import { BundleStore } from './bundles.store.js';
import { ReportPartsRetention } from './report-parts.job.js';
import { ReportParts } from './report-parts.store.js';
import { RunnerReportsController } from './runner-reports.controller.js';
import { RunnerReports } from './runner-reports.service.js';
import {
  TransactionBundleEntity,
  TransactionBundleEntryEntity,
  TransactionReportPartEntity,
} from './entities/bundle.entities.js';

const entities = [TransactionBundleEntity, TransactionBundleEntryEntity, TransactionReportPartEntity];

/** The side of a transaction that the machine sees which runs Terraform. */
@Module({
  imports: [
    TypeOrmModule.forFeature(entities),
    AccessModule,
    ConfigurationsModule,
    StatesModule,
    TasksModule,
    TransactionsModule,
  ],
  controllers: [BundlesController, RunnerReportsController],
  providers: [
    BundleGeneration,
    BundleRequests,
    Bundles,
    BundleStore,
    ReportedSteps,
    ReportParts,
    ReportPartsRetention,
    RunnerReports,
    RunnerSteps,
  ],
})
export class ActuatorModule {}
