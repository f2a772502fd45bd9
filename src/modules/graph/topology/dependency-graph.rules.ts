import { configModule, sharedSteps } from './config-address.rules.js';
import { GraphTopology } from './graph-topology.js';
import type { InstanceCatalog } from './instance-catalog.js';
import { type Group, OrderedInstances } from './instance-order.rules.js';
import { reduceTransitively } from './transitive-reduction.rules.js';

/** The instances of one state in graph order, and what depends on what. */
export interface DependencyGraph {
  nodes: OrderedInstances;
  topology: GraphTopology;
}

/** Whole modules named as dependencies (version 0.12) stand for at most this many resources in all. */
const MOST_MODULE_TARGETS = 2_000_000;

/**
 * Edges are the transitive reduction of the declared dependencies between configuration addresses, expanded to
 * instances with the same keys along the module path both share, else all to all. Only ranges are built: the size
 * follows the configuration, not the square of `count`.
 */
export function buildGraph(catalog: InstanceCatalog): DependencyGraph {
  const nodes = new OrderedInstances(catalog);
  const reduced = reduceTransitively(declared(nodes));
  const dependents: number[][] = nodes.groups.map(() => []);
  reduced.forEach((targets, group) => {
    for (const target of targets) dependents[target]?.push(group);
  });
  return { nodes, topology: new RangeExpansion(nodes).expand(dependents) };
}

/** Names to groups; what names nothing is dropped, and so is a resource's dependency on itself. */
function declared({ groups, modules, catalog }: OrderedInstances): number[][] {
  const names = new GroupNames(groups, modules.steps);
  const { lists } = catalog.values;
  return groups.map((group, number) => {
    const module = modules.config[group.module] ?? '';
    const self = names.exactly(group.address);
    const targets = new Set<number>();
    for (const list of group.lists)
      for (const name of lists[list] ?? [])
        for (const target of names.find(name, module)) targets.add(target);
    targets.delete(number);
    if (self !== undefined) targets.delete(self);
    return [...targets];
  });
}

/** What a name in `dependencies` or `depends_on` stands for. */
class GroupNames {
  private readonly byAddress = new Map<string, number>();
  private byModule: Map<string, number[]> | undefined;
  private moduleTargets = 0;

  constructor(
    private readonly groups: readonly Group[],
    private readonly steps: OrderedInstances['modules']['steps'],
  ) {
    groups.forEach((group, number) => {
      if (!group.deposed) this.byAddress.set(group.address, number);
    });
  }

  exactly(address: string): number | undefined {
    return this.byAddress.get(address);
  }

  /** Version 0.12 wrote names relative to the module, and whole modules. */
  find(name: string, module: string): readonly number[] {
    const relative = module === '' ? name : `${module}.${name}`;
    const exact = this.byAddress.get(name) ?? this.byAddress.get(relative);
    if (exact !== undefined) return [exact];
    if (!name.startsWith('module.')) return [];
    this.byModule ??= this.modules();
    const below = this.byModule.get(name) ?? this.byModule.get(relative) ?? [];
    this.moduleTargets += below.length;
    return this.moduleTargets > MOST_MODULE_TARGETS ? [] : below;
  }

  private modules(): Map<string, number[]> {
    const found = new Map<string, number[]>();
    this.groups.forEach((group, number) => {
      if (group.deposed) return;
      const steps = this.steps[group.module] ?? [];
      for (let depth = 1; depth <= steps.length; depth++) {
        const module = configModule(steps.slice(0, depth));
        const below = found.get(module);
        if (below) below.push(number);
        else found.set(module, [number]);
      }
    });
    return found;
  }
}

/** Ranges of one group's nodes by the leading part of their module path. */
interface Buckets {
  part: number[];
  /** first node of each, and the end of the last */
  from: number[];
}

type PairLists = [from: number[], to: number[], dependentFrom: number[], dependentTo: number[]];

class RangeExpansion {
  private readonly known = new Map<number, Buckets>();
  private readonly depths: number;

  constructor(private readonly nodes: OrderedInstances) {
    this.depths = 1 + nodes.modules.steps.reduce((most, steps) => Math.max(most, steps.length), 0);
  }

  expand(dependents: readonly (readonly number[])[]): GraphTopology {
    const edgeStart = [0];
    const dependent: number[] = [];
    const pairStart = [0];
    const pairs: PairLists = [[], [], [], []];
    dependents.forEach((groups, dependency) => {
      for (const other of groups) {
        const before = pairs[0].length;
        this.pairs(dependency, other, pairs);
        if (pairs[0].length === before) continue;
        if (this.joinsWholeGroups(dependency, other, before, pairs)) for (const column of pairs) column.pop();
        dependent.push(other);
        pairStart.push(pairs[0].length);
      }
      edgeStart.push(dependent.length);
    });
    const [a, b, c, d] = pairs;
    const columns = [
      Uint32Array.from(a),
      Uint32Array.from(b),
      Uint32Array.from(c),
      Uint32Array.from(d),
    ] as const;
    return new GraphTopology(
      this.nodes.groupStart,
      Uint32Array.from(edgeStart),
      Uint32Array.from(dependent),
      a.length === 0 ? undefined : { start: Uint32Array.from(pairStart), columns },
    );
  }

  private joinsWholeGroups(dependency: number, dependent: number, pair: number, pairs: PairLists): boolean {
    const { groupStart } = this.nodes;
    const [from, to, dependentFrom, dependentTo] = pairs;
    return (
      from[pair] === groupStart[dependency] &&
      to[pair] === groupStart[dependency + 1] &&
      dependentFrom[pair] === groupStart[dependent] &&
      dependentTo[pair] === groupStart[dependent + 1]
    );
  }

  /** Adds a range pair for each leading part of the module path that both sides have. */
  private pairs(
    dependency: number,
    dependent: number,
    [from, to, dependentFrom, dependentTo]: PairLists,
  ): void {
    const depth = sharedSteps(this.stepsOf(dependency), this.stepsOf(dependent));
    const left = this.buckets(dependency, depth);
    const right = this.buckets(dependent, depth);
    const positions = new Map(right.part.map((part, position) => [part, position]));
    left.part.forEach((part, position) => {
      const other = positions.get(part);
      if (other === undefined) return;
      from.push(left.from[position] ?? 0);
      to.push(left.from[position + 1] ?? 0);
      dependentFrom.push(right.from[other] ?? 0);
      dependentTo.push(right.from[other + 1] ?? 0);
    });
  }

  private stepsOf(group: number) {
    return this.nodes.modules.steps[this.nodes.groups[group]?.module ?? 0] ?? [];
  }

  private buckets(group: number, depth: number): Buckets {
    const id = group * this.depths + depth;
    let buckets = this.known.get(id);
    if (buckets) return buckets;
    buckets = { part: [], from: [] };
    let node = this.nodes.groupStart[group] ?? 0;
    for (const place of this.nodes.groups[group]?.places ?? []) {
      const part = this.nodes.modules.ancestors[place.module]?.[depth] ?? 0;
      if (buckets.part.at(-1) !== part) {
        buckets.part.push(part);
        buckets.from.push(node);
      }
      node += place.rows.length;
    }
    buckets.from.push(node);
    this.known.set(id, buckets);
    return buckets;
  }
}
