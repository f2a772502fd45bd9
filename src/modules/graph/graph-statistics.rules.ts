import type { DependencyGraph } from './dependency-graph.rules.js';

export interface Degrees {
  /** how many instances depend on each node */
  dependents: Float64Array;
  /** how many instances each node depends on */
  dependencies: Float64Array;
  edges: number;
}

/** Degrees of every node from the range pairs, by difference arrays: linear in nodes and pairs, never in edges. */
export function degreesOf({ nodes, pairs }: DependencyGraph): Degrees {
  const dependents = new Float64Array(nodes.length + 1);
  const dependencies = new Float64Array(nodes.length + 1);
  let edges = 0;
  for (let at = 0; at < pairs.length; at += 4) {
    const [from, to, dependentFrom, dependentTo] = [
      pairs[at],
      pairs[at + 1],
      pairs[at + 2],
      pairs[at + 3],
    ] as [number, number, number, number];
    edges += (to - from) * (dependentTo - dependentFrom);
    add(dependents, from, to, dependentTo - dependentFrom);
    add(dependencies, dependentFrom, dependentTo, to - from);
  }
  for (let i = 1; i < nodes.length; i++) {
    dependents[i] = (dependents[i] as number) + (dependents[i - 1] as number);
    dependencies[i] = (dependencies[i] as number) + (dependencies[i - 1] as number);
  }
  return { dependents, dependencies, edges };
}

function add(values: Float64Array, from: number, to: number, count: number): void {
  values[from] = (values[from] as number) + count;
  values[to] = (values[to] as number) - count;
}

/** Numbers of one state that the summaries add up; kept with the state, so that a summary reads no instance. */
export interface StateStatistics {
  instances: number;
  resources: number;
  modules: number;
  providers: number;
  edges: number;
  /** something depends on them, they on nothing */
  roots: number;
  /** they depend on something, nothing on them */
  leaves: number;
  /** neither */
  orphans: number;
  orphanAddresses: string[];
  hotspot: { address: string; refs: number } | null;
  types: Record<string, { resources: number; instances: number }>;
  providerInstances: Record<string, number>;
  largestModule: { name: string; resources: number } | null;
  mostDeployedModule: { name: string; instances: number } | null;
}

const MOST_ORPHANS = 20;
export const ROOT_MODULE = 'root';

export interface ResourceCount {
  address: string;
  mode: string;
  type: string;
  name: string;
  module: string | undefined;
  provider: string;
  instances: number;
}

/** Everything that is counted in one state. */
export interface Inventory {
  resources: Map<string, ResourceCount>;
  modules: Map<string, { resources: number; instances: number }>;
  providers: Map<string, number>;
}

export function inventoryOf(nodes: DependencyGraph['nodes']): Inventory {
  const inventory: Inventory = { resources: new Map(), modules: new Map(), providers: new Map() };
  for (const node of nodes) {
    const moduleName = node.module ?? ROOT_MODULE;
    let module = inventory.modules.get(moduleName);
    if (!module) inventory.modules.set(moduleName, (module = { resources: 0, instances: 0 }));
    let resource = inventory.resources.get(node.resourceAddress);
    if (!resource) {
      const { resourceAddress: address, mode, type, name, module: path, provider } = node;
      inventory.resources.set(
        address,
        (resource = { address, mode, type, name, module: path, provider, instances: 0 }),
      );
      module.resources++;
    }
    resource.instances++;
    module.instances++;
    inventory.providers.set(node.provider, (inventory.providers.get(node.provider) ?? 0) + 1);
  }
  return inventory;
}

export function statisticsOf(graph: DependencyGraph, inventory: Inventory): StateStatistics {
  const { dependents, dependencies, edges } = degreesOf(graph);
  const statistics: StateStatistics = {
    instances: graph.nodes.length,
    resources: inventory.resources.size,
    modules: inventory.modules.size,
    providers: inventory.providers.size,
    edges,
    roots: 0,
    leaves: 0,
    orphans: 0,
    orphanAddresses: [],
    hotspot: null,
    types: Object.create(null) as StateStatistics['types'],
    providerInstances: Object.fromEntries(inventory.providers),
    largestModule: null,
    mostDeployedModule: null,
  };
  graph.nodes.forEach((node, index) => {
    const [used, uses] = [dependents[index] as number, dependencies[index] as number];
    if (used > 0 && uses === 0) statistics.roots++;
    else if (used === 0 && uses > 0) statistics.leaves++;
    else if (used === 0) {
      statistics.orphans++;
      if (statistics.orphanAddresses.length < MOST_ORPHANS)
        statistics.orphanAddresses.push(node.address.slice(0, 500));
    }
    if (used > (statistics.hotspot?.refs ?? 0))
      statistics.hotspot = { address: node.address.slice(0, 500), refs: used };
  });
  for (const resource of inventory.resources.values()) {
    const type = (statistics.types[resource.type] ??= { resources: 0, instances: 0 });
    type.resources++;
    type.instances += resource.instances;
  }
  for (const [name, module] of inventory.modules) {
    if (module.resources > (statistics.largestModule?.resources ?? 0))
      statistics.largestModule = { name, resources: module.resources };
    if (module.instances > (statistics.mostDeployedModule?.instances ?? 0))
      statistics.mostDeployedModule = { name, instances: module.instances };
  }
  return statistics;
}
