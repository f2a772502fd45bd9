import * as fc from 'fast-check';
import {
  instanceAddress,
  type InstanceMeta,
  keyOf,
  resourceAddress,
} from '../../src/modules/documents/index.js';

/** What the graph of some instances has to be, computed pair by pair, without anything the service uses for it. */
export interface ExpectedGraph {
  /** "dependent depends on dependency", by position in the list of instances */
  edges: Set<string>;
  dependencies: number[][];
  dependents: number[][];
}

export function expectedGraph(instances: readonly InstanceMeta[]): ExpectedGraph {
  // A vertex for each configuration address, and one for each deposed object.
  const vertices: { address: string; module: string; names: Set<string>; deposed: boolean }[] = [];
  const vertexOf = instances.map((instance) => {
    const module = withoutKeys(instance.module ?? '');
    const address = withoutKeys(instance.resourceAddress);
    const deposed = instance.deposed !== undefined;
    let vertex = deposed ? -1 : vertices.findIndex((each) => !each.deposed && each.address === address);
    if (vertex === -1) vertex = vertices.push({ address, module, names: new Set(), deposed }) - 1;
    for (const name of instance.dependencies) vertices[vertex]?.names.add(name);
    return vertex;
  });
  const live = vertices.map((_, vertex) => vertex).filter((vertex) => vertices[vertex]?.deposed === false);
  const direct = vertices.map(({ address, module, names }) => {
    const targets = new Set<number>();
    for (const name of names) {
      const relative = module === '' ? name : `${module}.${name}`;
      const named = (text: string) => live.filter((each) => vertices[each]?.address === text);
      const below = (text: string) =>
        live.filter((each) => `${vertices[each]?.module}.`.startsWith(`${text}.`));
      const inModule = name.startsWith('module.') ? [below(name), below(relative)] : [];
      const found = [named(name), named(relative), ...inModule].find((list) => list.length > 0) ?? [];
      for (const target of found) if (vertices[target]?.address !== address) targets.add(target);
    }
    return targets;
  });
  const reach = closure(direct);
  const keep = (from: number, to: number) => {
    const together = (a: number, b: number) =>
      a === b || (reach[a]?.has(b) === true && reach[b]?.has(a) === true);
    if (together(from, to)) return true;
    return !vertices.some(
      (_, via) => !together(via, from) && !together(via, to) && reach[from]?.has(via) && reach[via]?.has(to),
    );
  };
  const result: ExpectedGraph = {
    edges: new Set(),
    dependencies: instances.map(() => []),
    dependents: instances.map(() => []),
  };
  instances.forEach((a, from) =>
    instances.forEach((b, to) => {
      const [left, right] = [vertexOf[from] ?? 0, vertexOf[to] ?? 0];
      if (b.deposed !== undefined || !direct[left]?.has(right) || !keep(left, right) || !sameKeys(a, b))
        return;
      result.edges.add(`${from} ${to}`);
      result.dependencies[from]?.push(to);
      result.dependents[to]?.push(from);
    }),
  );
  return result;
}

function closure(direct: readonly ReadonlySet<number>[]): Set<number>[] {
  return direct.map((_, start) => {
    const reached = new Set<number>();
    const open = [start];
    for (let next = open.pop(); next !== undefined; next = open.pop())
      for (const target of direct[next] ?? [])
        if (!reached.has(target)) {
          reached.add(target);
          open.push(target);
        }
    return reached;
  });
}

const KEYS = /\["(?:[^"\\]|\\.)*"\]|\[\d+\]/g;

function withoutKeys(address: string): string {
  return address.replace(KEYS, '');
}

/** Along the module path both share by name, the keys are equal. */
function sameKeys(a: InstanceMeta, b: InstanceMeta): boolean {
  const [left, right] = [stepsOf(a), stepsOf(b)];
  for (let i = 0; i < Math.min(left.length, right.length); i++) {
    if (withoutKeys(left[i] ?? '') !== withoutKeys(right[i] ?? '')) return true;
    if (left[i] !== right[i]) return false;
  }
  return true;
}

function stepsOf({ module }: InstanceMeta): string[] {
  return module?.match(/module\.[^.[]+(\["(?:[^"\\]|\\.)*"\]|\[\d+\])?/g) ?? [];
}

export function metaOf(values: {
  module?: string;
  mode?: string;
  type?: string;
  name: string;
  provider?: string;
  indexKey?: string | number;
  deposed?: string;
  dependencies?: string[];
  remoteState?: string;
}): InstanceMeta {
  const { module, mode = 'managed', type = 'test_thing', name, indexKey, deposed, remoteState } = values;
  const resource = resourceAddress(module, mode, type, name);
  const address = instanceAddress(resource, indexKey);
  return {
    key: keyOf(address, deposed),
    address,
    resourceAddress: resource,
    mode,
    type,
    name,
    provider: values.provider ?? 'registry.terraform.io/hashicorp/test',
    dependencies: values.dependencies ?? [],
    ...(module === undefined ? {} : { module }),
    ...(indexKey === undefined ? {} : { indexKey }),
    ...(deposed === undefined ? {} : { deposed }),
    ...(remoteState === undefined ? {} : { remoteState }),
  };
}

const step = fc
  .tuple(fc.constantFrom('a', 'b'), fc.constantFrom('', '["x"]', '["y.z"]', '["]\\"["]', '[0]', '[1]'))
  .map(([name, key]) => `module.${name}${key}`);
const modulePath = fc
  .array(step, { maxLength: 3 })
  .map((steps) => (steps.length === 0 ? undefined : steps.join('.')));
const localName = fc.constantFrom('t.p', 't.q', 'u.p', 'data.t.p', 'u.r');
const dependency = fc.oneof(
  { weight: 6, arbitrary: fc.tuple(modulePath, localName).map(([path, local]) => named(path, local)) },
  {
    weight: 1,
    arbitrary: fc.constantFrom('module.a', 'module.b', 'module.a.module.b', 't.gone', 'module.gone'),
  },
  { weight: 1, arbitrary: localName },
);

function named(path: string | undefined, local: string): string {
  return path === undefined ? local : `${withoutKeys(path)}.${local}`;
}

/** Instances of a small configuration: cycles, dangling and relative names, nested keys, deposed objects, no duplicates. */
export const someInstances: fc.Arbitrary<InstanceMeta[]> = fc
  .array(
    fc.record({
      module: modulePath,
      local: localName,
      indexKey: fc.constantFrom(undefined, 0, 1, 2, 10, 'k', 'a"b', '10', ''),
      deposed: fc.option(fc.constantFrom('00000001', '00000002'), { nil: undefined, freq: 8 }),
      dependencies: fc.array(dependency, { maxLength: 4 }),
    }),
    { maxLength: 24 },
  )
  .map((rows) => {
    const metas = rows.map(({ module, local, indexKey, deposed, dependencies }) => {
      const [name = '', type = '', mode] = local.split('.').reverse();
      return metaOf({
        ...(module === undefined ? {} : { module }),
        mode: mode === 'data' ? 'data' : 'managed',
        type,
        name,
        dependencies,
        ...(indexKey === undefined ? {} : { indexKey }),
        ...(deposed === undefined ? {} : { deposed }),
      });
    });
    return [...new Map(metas.map((meta) => [meta.key, meta])).values()];
  });
