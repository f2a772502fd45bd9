import { Module } from '@nestjs/common';
import { AccessModule } from '../access/index.js';
import { AttributeIndexUpkeep } from './instances/attribute-index-upkeep.job.js';
import { BlastCounts } from './reach/blast-counts.service.js';
import { BlastRadiusService } from './reach/blast-radius.service.js';
import { ConfigDependencies } from './projection/config-dependencies.store.js';
import { GraphController } from './graph.controller.js';
import { GraphProjector } from './projection/graph-projector.js';
import { InstanceHistory } from './projection/instance-history.store.js';
import { InstanceQueries } from './instances/instances.queries.js';
import { InstanceRows } from './projection/instance-rows.js';
import { InventoryRows } from './projection/inventory-rows.js';
import { LoadedGraphs } from './topology/loaded-graphs.js';
import { NeighbourhoodService } from './reach/neighbourhood.service.js';
import { OutputsController } from './outputs.controller.js';
import { OutputQueries } from './outputs.queries.js';
import { OutputSources } from './projection/output-sources.store.js';
import { ReachableEstateQueries } from './reach/reachable-estate.queries.js';
import { StateGraphs } from './projection/state-graphs.store.js';
import { StateLinks } from './projection/state-links.store.js';
import { SummaryQueries } from './summaries/summaries.queries.js';
import { TenantGraphController } from './tenant-graph.controller.js';
import { TenantSummaries } from './summaries/tenant-summaries.service.js';

@Module({
  imports: [AccessModule],
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
