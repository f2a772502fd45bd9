import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { AccessModule } from '../access/index.js';
import { AttributeIndexUpkeep } from './attribute-index-upkeep.job.js';
import { BlastCounts } from './blast-counts.service.js';
import { BlastRadiusService } from './blast-radius.service.js';
import { ConfigDependencies } from './config-dependencies.store.js';
import {
  CheckResultEntity,
  InstanceEntity,
  ModuleEntity,
  OutputEntity,
  OutputSourceEntity,
  ProviderEntity,
  ResourceEntity,
  StateGraphEntity,
  StateLinkEntity,
} from './entities/graph.entities.js';
import { GraphController } from './graph.controller.js';
import { GraphProjector } from './graph-projector.js';
import { InstanceHistory } from './instance-history.store.js';
import { InstanceQueries } from './instances.queries.js';
import { InstanceRows } from './instance-rows.js';
import { InventoryRows } from './inventory-rows.js';
import { LoadedGraphs } from './loaded-graphs.js';
import { NeighbourhoodService } from './neighbourhood.service.js';
import { OutputsController } from './outputs.controller.js';
import { OutputQueries } from './outputs.queries.js';
import { OutputSources } from './output-sources.store.js';
import { ReachableEstateQueries } from './reachable-estate.queries.js';
import { StateGraphs } from './state-graphs.store.js';
import { StateLinks } from './state-links.store.js';
import { SummaryQueries } from './summaries.queries.js';
import { TenantGraphController } from './tenant-graph.controller.js';
import { TenantSummaries } from './tenant-summaries.service.js';

const entities = [
  CheckResultEntity,
  InstanceEntity,
  ModuleEntity,
  OutputEntity,
  OutputSourceEntity,
  ProviderEntity,
  ResourceEntity,
  StateGraphEntity,
  StateLinkEntity,
];

@Module({
  imports: [TypeOrmModule.forFeature(entities), AccessModule],
  controllers: [GraphController, OutputsController, TenantGraphController],
  providers: [
    AttributeIndexUpkeep,
    BlastCounts,
    BlastRadiusService,
    ConfigDependencies,
    GraphProjector,
    InstanceHistory,
    InstanceQueries,
    InstanceRows,
    InventoryRows,
    LoadedGraphs,
    NeighbourhoodService,
    OutputQueries,
    OutputSources,
    ReachableEstateQueries,
    StateGraphs,
    StateLinks,
    SummaryQueries,
    TenantSummaries,
  ],
  exports: [BlastCounts],
})
export class GraphModule {}
