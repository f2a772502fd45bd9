import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/index.js';
import { AuditModule } from '../audit/index.js';
import { CloudIdsModule } from '../cloud-ids/index.js';
import { MqlModule, QueryTables } from '../mql/index.js';
import { StatesModule } from '../states/index.js';
import { TasksModule } from '../tasks/index.js';
import { BillingMetrics } from './billing-metrics.js';
import { BillingSourcesController } from './billing-sources.controller.js';
import { BillingSyncsController } from './billing-syncs.controller.js';
import { billingTables } from './billing-tables.js';
import { BillingAttributionEntity, BillingRematchEntity } from './entities/attribution.entities.js';
import { BilledResourceEntity, BilledResourceIdEntity } from './entities/billed-resource.entities.js';
import { BillingRowEntity } from './entities/billing-row.entity.js';
import { BillingSourceEntity } from './entities/billing-source.entity.js';
import { ReaderNotice } from './reading/reader-notice.js';
import { BillingSourcesService } from './sources/billing-sources.service.js';
import { SourcePermissions } from './sources/source-permissions.js';
import { BillingRows } from './spend/billing-rows.store.js';
import { SpendMatchingJobs } from './spend/spend-matching.job.js';
import { SpendMatching } from './spend/spend-matching.store.js';
import { SpendQueries } from './spend/spend.queries.js';
import { StateSpendController } from './state-spend.controller.js';
import { BillingStores } from './stores/billing-stores.js';
import { BillingLoad } from './syncing/billing-load.js';
import { BillingSchedule } from './syncing/billing-schedule.job.js';
import { SourceFiles } from './syncing/source-files.service.js';
import { SyncBillingSource } from './syncing/sync-billing-source.task.js';
import { SyncRequests } from './syncing/sync-requests.service.js';
import { TenantSpendController } from './tenant-spend.controller.js';

const entities = [
  BilledResourceEntity,
  BilledResourceIdEntity,
  BillingAttributionEntity,
  BillingRematchEntity,
  BillingRowEntity,
  BillingSourceEntity,
];

/** Actual spend: bills are loaded, and each line is attributed to the instance that caused it. */
@Module({
  imports: [
    TypeOrmModule.forFeature(entities),
    AccessModule,
    AuditModule,
    CloudIdsModule,
    MqlModule,
    StatesModule,
    TasksModule,
  ],
  controllers: [
    BillingSourcesController,
    BillingSyncsController,
    StateSpendController,
    TenantSpendController,
  ],
  providers: [
    BillingLoad,
    BillingMetrics,
    BillingRows,
    BillingSchedule,
    BillingSourcesService,
    BillingStores,
    ReaderNotice,
    SourceFiles,
    SourcePermissions,
    SpendMatching,
    SpendMatchingJobs,
    SpendQueries,
    SyncBillingSource,
    SyncRequests,
  ],
})
export class BillingModule implements OnModuleInit {
  constructor(private readonly tables: QueryTables) {}

  onModuleInit(): void {
    this.tables.add(billingTables);
  }
}
