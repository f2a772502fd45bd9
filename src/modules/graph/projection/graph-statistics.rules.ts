import type { DependencyGraph } from '../topology/dependency-graph.rules.js';
import type { OrderedInstances } from '../topology/instance-order.rules.js';

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
const LONGEST_ADDRESS = 500;
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

export function inventoryOf(nodes: OrderedInstances): Inventory {
  const inventory: Inventory = { resources: new Map(), modules: new Map(), providers: new Map() };
  const { modules, kinds } = nodes.catalog.values;
  for (const place of nodes.places) {
    const kind = kinds[place.kind];
    if (!kind) continue;
    const path = modules[place.module] || undefined;
    const name = path ?? ROOT_MODULE;
    const count = place.rows.length;
    let module = inventory.modules.get(name);
    if (!module) inventory.modules.set(name, (module = { resources: 0, instances: 0 }));
    const address = nodes.resourceAt(place);
    const resource = inventory.resources.get(address);
    if (resource) resource.instances += count;
    else {
      inventory.resources.set(address, { address, ...kind, module: path, instances: count });
      module.resources++;
    }
    module.instances += count;
    inventory.providers.set(kind.provider, (inventory.providers.get(kind.provider) ?? 0) + count);
  }
  return inventory;
}

export function statisticsOf({ nodes, topology }: DependencyGraph, inventory: Inventory): StateStatistics {
  const { dependents, dependencies, edges } = topology.degrees();
  const address = (node: number) => nodes.addressOf(node).slice(0, LONGEST_ADDRESS);
  const counts = { roots: 0, leaves: 0, orphans: 0 };
  const orphanAddresses: string[] = [];
  let [hotspot, refs] = [-1, 0];
  for (let node = 0; node < nodes.size; node++) {
    const [used, uses] = [dependents[node] ?? 0, dependencies[node] ?? 0];
    if (used > 0 && uses === 0) counts.roots++;
    else if (used === 0 && uses > 0) counts.leaves++;
    else if (used === 0) {
      counts.orphans++;
      if (orphanAddresses.length < MOST_ORPHANS) orphanAddresses.push(address(node));
    }
    if (used > refs) [hotspot, refs] = [node, used];
  }
  return {
    instances: nodes.size,
    resources: inventory.resources.size,
    modules: inventory.modules.size,
    providers: inventory.providers.size,
    edges,
    ...counts,
    orphanAddresses,
    hotspot: hotspot === -1 ? null : { address: address(hotspot), refs },
    types: typesOf(inventory),
    providerInstances: Object.fromEntries(inventory.providers),
    ...extremesOf(inventory),
  };
}

function typesOf(inventory: Inventory): StateStatistics['types'] {
  const types = new Map<string, { resources: number; instances: number }>();
  for (const { type, instances } of inventory.resources.values()) {
    const known = types.get(type);
    if (known) {
      known.resources++;
      known.instances += instances;
    } else types.set(type, { resources: 1, instances });
  }
  return Object.fromEntries(types);
}

function extremesOf(inventory: Inventory): Pick<StateStatistics, 'largestModule' | 'mostDeployedModule'> {
  let largestModule: StateStatistics['largestModule'] = null;
  let mostDeployedModule: StateStatistics['mostDeployedModule'] = null;
  // In the order of names, so that the first of equal ones is shown.
  for (const name of [...inventory.modules.keys()].sort()) {
    const { resources = 0, instances = 0 } = inventory.modules.get(name) ?? {};
    if (resources > (largestModule?.resources ?? 0)) largestModule = { name, resources };
    if (instances > (mostDeployedModule?.instances ?? 0)) mostDeployedModule = { name, instances };
  }
  return { largestModule, mostDeployedModule };
}
