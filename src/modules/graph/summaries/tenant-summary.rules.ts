import type { TenantSummaryView } from '../dto/graph.dto.js';
import type { StateStatisticsRow } from './summaries.queries.js';

const MOST_ORPHANS_SHOWN = 20;

/** Adds up the numbers of the states of a tenant. Providers count once however many states use them. */
export function tenantSummary(rows: readonly StateStatisticsRow[]): TenantSummaryView {
  const providers = new Map<string, number>();
  const types = new Map<string, number>();
  const summary: TenantSummaryView = {
    total_states: rows.length,
    total_resources: 0,
    total_instances: 0,
    total_edges: 0,
    total_providers: 0,
    total_modules: 0,
    top_resource_type: null,
    top_resource_type_count: 0,
    largest_module: null,
    largest_module_resource_count: 0,
    most_deployed_module: null,
    most_deployed_module_instance_count: 0,
    dependency_hotspot_address: null,
    dependency_hotspot_refs: 0,
    graph_roots: 0,
    graph_leaves: 0,
    orphaned_count: 0,
    orphaned_by_state: [],
    orphaned_top: [],
    provider_distribution: [],
    resource_type_distribution: [],
  };
  for (const { state_name, stats } of rows) {
    if (!stats) continue;
    summary.total_resources += stats.resources;
    summary.total_instances += stats.instances;
    summary.total_edges += stats.edges;
    summary.total_modules += stats.modules;
    summary.graph_roots += stats.roots;
    summary.graph_leaves += stats.leaves;
    summary.orphaned_count += stats.orphans;
    if (stats.orphans > 0) summary.orphaned_by_state.push({ state_name, count: stats.orphans });
    for (const address of stats.orphanAddresses) {
      if (summary.orphaned_top.length < MOST_ORPHANS_SHOWN)
        summary.orphaned_top.push({ address, state_name });
    }
    addExtremes(summary, stats);
    for (const [provider, count] of Object.entries(stats.providerInstances))
      providers.set(provider, (providers.get(provider) ?? 0) + count);
    for (const [type, count] of Object.entries(stats.types))
      types.set(type, (types.get(type) ?? 0) + count.instances);
  }
  summary.orphaned_by_state.sort((a, b) => b.count - a.count);
  summary.total_providers = providers.size;
  summary.provider_distribution = descending(providers).map(([provider, instances]) => ({
    provider,
    instances,
  }));
  summary.resource_type_distribution = descending(types).map(([type, instances]) => ({ type, instances }));
  const [top] = summary.resource_type_distribution;
  if (top) [summary.top_resource_type, summary.top_resource_type_count] = [top.type, top.instances];
  return summary;
}

function addExtremes(summary: TenantSummaryView, stats: NonNullable<StateStatisticsRow['stats']>): void {
  const { largestModule, mostDeployedModule, hotspot } = stats;
  if (largestModule && largestModule.resources > summary.largest_module_resource_count) {
    [summary.largest_module, summary.largest_module_resource_count] = [
      largestModule.name,
      largestModule.resources,
    ];
  }
  if (mostDeployedModule && mostDeployedModule.instances > summary.most_deployed_module_instance_count) {
    [summary.most_deployed_module, summary.most_deployed_module_instance_count] = [
      mostDeployedModule.name,
      mostDeployedModule.instances,
    ];
  }
  if (hotspot && hotspot.refs > summary.dependency_hotspot_refs) {
    [summary.dependency_hotspot_address, summary.dependency_hotspot_refs] = [hotspot.address, hotspot.refs];
  }
}

function descending(counts: ReadonlyMap<string, number>): [string, number][] {
  return [...counts].sort(([a, left], [b, right]) => right - left || (a < b ? -1 : 1));
}
