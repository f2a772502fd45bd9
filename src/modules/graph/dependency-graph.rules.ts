import type { InstanceMeta } from '../documents/index.js';
import { configAddress, configModule, ModuleStep, moduleSteps, sharedSteps } from './config-address.rules.js';
import { reduceTransitively } from './transitive-reduction.rules.js';

/**
 * Dependencies between the instances of one state. Nodes are ordered by configuration address, module keys and
 * instance key, so that "all instances of B under these module keys" is a range. Each range pair says: every node of
 * the dependent range depends on every node of the dependency range. Its size follows the configuration, not the
 * square of `count`.
 */
export interface DependencyGraph {
  nodes: InstanceMeta[];
  /** quadruples: dependency from, to (exclusive), dependent from, to (exclusive) */
  pairs: Uint32Array;
}

interface ConfigNode {
  address: string;
  module: string;
  steps: ModuleStep[];
  names: Set<string>;
  members: { meta: InstanceMeta; keys: string[] }[];
  /** nothing depends on deposed objects */
  deposed: boolean;
}

export function buildGraph(instances: readonly InstanceMeta[]): DependencyGraph {
  const configs = [...configNodes(instances)]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([, config]) => config);
  const nodes: InstanceMeta[] = [];
  const starts: number[] = [];
  for (const config of configs) {
    config.members.sort(compareMembers);
    starts.push(nodes.length);
    for (const { meta } of config.members) nodes.push(meta);
  }
  const reduced = reduceTransitively(resolved(configs));
  const pairs: number[] = [];
  reduced.forEach((targets, vertex) => {
    for (const target of targets) expand(configs, starts, target, vertex, pairs);
  });
  return { nodes, pairs: Uint32Array.from(pairs) };
}

function configNodes(instances: readonly InstanceMeta[]): Map<string, ConfigNode> {
  const configs = new Map<string, ConfigNode>();
  const modules = new Map<string, ModuleStep[]>();
  for (const meta of instances) {
    const path = meta.module ?? '';
    let steps = modules.get(path);
    if (!steps) modules.set(path, (steps = moduleSteps(meta.module)));
    const module = configModule(steps);
    const address = configAddress(module, meta.mode, meta.type, meta.name);
    const id = meta.deposed === undefined ? address : `${address}\0`;
    let config = configs.get(id);
    if (!config)
      configs.set(
        id,
        (config = {
          address,
          module,
          steps,
          names: new Set(),
          members: [],
          deposed: meta.deposed !== undefined,
        }),
      );
    for (const name of meta.dependencies) config.names.add(name);
    config.members.push({ meta, keys: steps.map((step) => step.key) });
  }
  return configs;
}

/** Names to vertices; what names nothing is dropped, and so is a resource's dependency on itself. */
function resolved(configs: readonly ConfigNode[]): Set<number>[] {
  const byAddress = new Map<string, number>();
  const byModule = new Map<string, number[]>();
  configs.forEach((config, vertex) => {
    if (config.deposed) return;
    byAddress.set(config.address, vertex);
    for (let depth = 1; depth <= config.steps.length; depth++) {
      const module = configModule(config.steps.slice(0, depth));
      const below = byModule.get(module);
      if (below) below.push(vertex);
      else byModule.set(module, [vertex]);
    }
  });
  // Version 0.12 wrote names relative to the module, and whole modules.
  const find = (name: string, module: string): readonly number[] => {
    const relative = module === '' ? name : `${module}.${name}`;
    const exact = byAddress.get(name) ?? byAddress.get(relative);
    return exact === undefined ? (byModule.get(name) ?? byModule.get(relative) ?? []) : [exact];
  };
  return configs.map((config, vertex) => {
    const targets = new Set<number>();
    for (const name of config.names) for (const target of find(name, config.module)) targets.add(target);
    targets.delete(vertex);
    const self = byAddress.get(config.address);
    if (self !== undefined) targets.delete(self);
    return targets;
  });
}

/** Adds the range pairs of "vertex depends on target": same keys along the module path both share, else all to all. */
function expand(
  configs: readonly ConfigNode[],
  starts: readonly number[],
  target: number,
  vertex: number,
  pairs: number[],
): void {
  const [dependency, dependent] = [configs[target], configs[vertex]];
  if (!dependency || !dependent) return;
  const depth = sharedSteps(dependency.steps, dependent.steps);
  const dependents = new Map(ranges(dependent, depth).map((range) => [range.prefix, range]));
  for (const range of ranges(dependency, depth)) {
    const other = dependents.get(range.prefix);
    if (!other) continue;
    const [from, to] = [starts[target] as number, starts[vertex] as number];
    pairs.push(from + range.from, from + range.to, to + other.from, to + other.to);
  }
}

function ranges(config: ConfigNode, depth: number): { prefix: string; from: number; to: number }[] {
  const found: { prefix: string; from: number; to: number }[] = [];
  config.members.forEach(({ keys }, index) => {
    const prefix = keys.slice(0, depth).join('\0');
    const last = found.at(-1);
    if (last?.prefix === prefix) last.to = index + 1;
    else found.push({ prefix, from: index, to: index + 1 });
  });
  return found;
}

function compareMembers(a: ConfigNode['members'][number], b: ConfigNode['members'][number]): number {
  for (let i = 0; i < a.keys.length; i++) {
    const [left, right] = [a.keys[i] ?? '', b.keys[i] ?? ''];
    if (left !== right) return left < right ? -1 : 1;
  }
  return compareKeys(a.meta.indexKey, b.meta.indexKey) || (a.meta.key < b.meta.key ? -1 : 1);
}

function compareKeys(a: string | number | undefined, b: string | number | undefined): number {
  if (a === b) return 0;
  if (typeof a === 'number' && typeof b === 'number') return a - b;
  if (typeof a === typeof b) return String(a) < String(b) ? -1 : 1;
  return typeof a === 'number' || a === undefined ? -1 : 1;
}
