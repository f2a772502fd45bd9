import { Module, type OnModuleInit } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SealedColumns } from '../../platform/crypto/index.js';
import { AccessModule } from '../access/index.js';
import { AuditModule } from '../audit/index.js';
import { CloudIdsModule } from '../cloud-ids/index.js';
import { MqlModule, QueryTables } from '../mql/index.js';
import { TasksModule } from '../tasks/index.js';
import { AwsDefaults } from './providers/aws-defaults.js';
import { AwsInventory } from './providers/aws-inventory.js';
import { AzureInventory } from './providers/azure-inventory.js';
import { CloudAccess } from './settings/cloud-access.js';
import { CloudDescriptions } from './settings/cloud-descriptions.js';
import { CloudSettingsStore, SECRET_COLUMN } from './settings/cloud-settings.store.js';
import {
  GapInventoryEntity,
  GapScanEntity,
  GapSettingsEntity,
  GapTenantEntity,
} from './entities/gap.entities.js';
import { GapAnalysis } from './comparison/gap-analysis.service.js';
import { GapComparison } from './comparison/gap-comparison.queries.js';
import { GapInventoryStore } from './inventory/gap-inventory.store.js';
import { GapScans } from './scanning/gap-scans.service.js';
import { GapScansStore } from './inventory/gap-scans.store.js';
import { GapSettings } from './settings/gap-settings.service.js';
import { gapTables } from './gap-tables.js';
import { GapsController } from './gaps.controller.js';
import { GcpInventory } from './providers/gcp-inventory.js';
import { ImportRequests } from './importing/import-requests.service.js';
import { ScanInventory } from './scanning/scan-inventory.job.js';

const entities = [GapInventoryEntity, GapScanEntity, GapSettingsEntity, GapTenantEntity];

/** Gap analysis: cloud resources that no state manages, and configuration that imports them. */
@Module({
  imports: [
    TypeOrmModule.forFeature(entities),
    AccessModule,
    AuditModule,
    CloudIdsModule,
    MqlModule,
    TasksModule,
  ],
  controllers: [GapsController],
  providers: [
    AwsDefaults,
    AwsInventory,
    AzureInventory,
    CloudAccess,
    CloudDescriptions,
    CloudSettingsStore,
    GapAnalysis,
    GapComparison,
    GapInventoryStore,
    GapScans,
    GapScansStore,
    GapSettings,
    GcpInventory,
    ImportRequests,
    ScanInventory,
  ],
})
export class GapsModule implements OnModuleInit {
  constructor(
    private readonly tables: QueryTables,
    private readonly sealed: SealedColumns,
  ) {}

  onModuleInit(): void {
    this.tables.add(gapTables);
    this.sealed.add(SECRET_COLUMN);
  }
}
