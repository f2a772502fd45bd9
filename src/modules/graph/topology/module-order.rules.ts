import { configModule, type ModuleStep, moduleSteps } from './config-address.rules.js';

/** Module paths in an order in which all that share their first steps, keys included, stand together. */
export interface ModuleOrder {
  /** position of each module */
  rank: Uint32Array;
  steps: ModuleStep[][];
  /** address without keys */
  config: string[];
  /** for each module, a number for each of its leading parts: equal numbers are equal parts */
  ancestors: number[][];
}

export function orderModules(modules: readonly string[]): ModuleOrder {
  const steps = modules.map((module) => moduleSteps(module));
  const order = modules
    .map((_, module) => module)
    .sort((a, b) => compareSteps(steps[a] ?? [], steps[b] ?? []));
  const rank = new Uint32Array(modules.length);
  order.forEach((module, position) => (rank[module] = position));
  const numbers = new Map<string, number>();
  const ancestors = steps.map((path) => {
    const parts = [0];
    for (const { name, key } of path) {
      const id = `${parts.at(-1)} ${name}\0${key}`;
      let number = numbers.get(id);
      if (number === undefined) numbers.set(id, (number = numbers.size + 1));
      parts.push(number);
    }
    return parts;
  });
  return { rank, steps, config: steps.map(configModule), ancestors };
}

function compareSteps(a: readonly ModuleStep[], b: readonly ModuleStep[]): number {
  for (let i = 0; i < a.length && i < b.length; i++) {
    const [left, right] = [a[i], b[i]];
    if (!left || !right) break;
    if (left.name !== right.name) return left.name < right.name ? -1 : 1;
    if (left.key !== right.key) return left.key < right.key ? -1 : 1;
  }
  return a.length - b.length;
}
