import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/index.js';
import { MqlModule, QueryTables } from '../mql/index.js';
import { StatesModule } from '../states/index.js';
import { TasksModule } from '../tasks/index.js';
import { TransactionsModule } from '../transactions/index.js';
import { CostMetrics } from './books/cost-metrics.js';
import { PriceBooks } from './books/price-books.service.js';
import { PricingBases } from './books/pricing-bases.service.js';
import { UsageDocuments } from './books/usage.store.js';
import { costTables } from './cost-tables.js';
import {
  CostItemEntity,
  CostLinkEntity,
  CostPlanEntity,
  CostSnapshotEntity,
  CostStateEntity,
  CostChangeEntity,
  CostSumEntity,
  CostTagChangeEntity,
  CostTotalEntity,
  CostUsageEntity,
  CostWideTagEntity,
} from './entities/cost.entities.js';
import { CostPlans } from './plans/cost-plans.store.js';
import { PlanCostDescriber } from './plans/plan-cost.describer.js';
import { PlanComparison } from './plans/plan-comparison.service.js';
import { PlannedSnapshots } from './plans/planned-snapshots.service.js';
import { PlanPricing } from './plans/plan-pricing.service.js';
import { PlanPricingJobs } from './plans/price-plans.job.js';
import { TransactionCosts } from './plans/transaction-costs.service.js';
import { CostHistory } from './reports/cost-history.queries.js';
import { StateCosts } from './reports/state-costs.queries.js';
import { TenantCosts } from './reports/tenant-costs.queries.js';
import { CostedRows } from './snapshots/costed-rows.queries.js';
import { ItemUpdates } from './snapshots/item-updates.service.js';
import { Items } from './snapshots/items.store.js';
import { CostLinks } from './snapshots/links.store.js';
import { Snapshots } from './snapshots/snapshots.store.js';
import { StatePricing } from './snapshots/state-pricing.service.js';
import { CostChanges } from './snapshots/changes.store.js';
import { SumRows } from './snapshots/sums.store.js';
import { StateCostsController } from './state-costs.controller.js';
import { TenantCostsController } from './tenant-costs.controller.js';
import { TransactionCostsController } from './transaction-costs.controller.js';
import { Calculations } from './upkeep/calculations.service.js';
import { DueStates } from './upkeep/due-states.queries.js';
import { PricingJobs } from './upkeep/price-states.job.js';
import { UsageService } from './upkeep/usage.service.js';

const entities = [
  CostItemEntity,
  CostLinkEntity,
  CostPlanEntity,
  CostSnapshotEntity,
  CostStateEntity,
  CostChangeEntity,
  CostSumEntity,
  CostTagChangeEntity,
  CostTotalEntity,
  CostUsageEntity,
  CostWideTagEntity,
];

/** Cost estimation: what states cost, what plans would add, and how that went over time. */
@Module({
  imports: [
    TypeOrmModule.forFeature(entities),
    AccessModule,
    MqlModule,
    StatesModule,
    TasksModule,
    TransactionsModule,
  ],
  controllers: [StateCostsController, TenantCostsController, TransactionCostsController],
  providers: [
    Calculations,
    CostedRows,
    CostHistory,
    CostLinks,
    CostMetrics,
    CostPlans,
    DueStates,
    Items,
    ItemUpdates,
    PlanComparison,
    PlanCostDescriber,
    PlannedSnapshots,
    PlanPricing,
    PlanPricingJobs,
    PriceBooks,
    PricingBases,
    PricingJobs,
    Snapshots,
    StateCosts,
    StatePricing,
    CostChanges,
    SumRows,
    TenantCosts,
    TransactionCosts,
    UsageDocuments,
    UsageService,
  ],
  exports: [PriceBooks],
})
export class CostsModule {
  constructor(tables: QueryTables) {
    tables.add(costTables);
  }
}
