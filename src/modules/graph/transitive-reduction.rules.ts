/** Beyond this many vertices reachability is taken from the declared closure instead of worked out. */
const MOST_EXACT = 4096;

/**
 * Transitive reduction of `dependencies[i]` = the vertices that vertex i depends on. Inside a cycle every declared edge
 * stays, because none is more redundant than another. Linear in the declared closure for large graphs.
 */
export function reduceTransitively(dependencies: readonly ReadonlySet<number>[]): number[][] {
  const component = components(dependencies);
  const reaches =
    dependencies.length <= MOST_EXACT
      ? reachability(dependencies)
      : (from: number, to: number) => dependencies[from]?.has(to) ?? false;
  return dependencies.map((direct, vertex) => {
    const names = [...direct];
    const further = names.filter((other) => component[other] !== component[vertex]);
    return names.filter((target) => {
      if (component[target] === component[vertex]) return true;
      return !further.some(
        (other) => other !== target && component[other] !== component[target] && reaches(other, target),
      );
    });
  });
}

/** Strongly connected components (Tarjan, without recursion); equal numbers are one component. */
export function components(edges: readonly ReadonlySet<number>[]): Int32Array {
  const count = edges.length;
  const index = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const component = new Int32Array(count).fill(-1);
  const stack: number[] = [];
  let next = 0;
  let found = 0;
  for (let root = 0; root < count; root++) {
    if (index[root] !== -1) continue;
    const path: { vertex: number; rest: Iterator<number> }[] = [];
    const enter = (vertex: number) => {
      index[vertex] = low[vertex] = next++;
      stack.push(vertex);
      path.push({ vertex, rest: (edges[vertex] ?? new Set<number>()).values() });
    };
    enter(root);
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const { vertex } = top;
      const step = top.rest.next();
      if (!step.done) {
        const target = step.value;
        if (index[target] === -1) enter(target);
        else if (component[target] === -1)
          low[vertex] = Math.min(low[vertex] as number, index[target] as number);
        continue;
      }
      path.pop();
      const parent = path.at(-1)?.vertex;
      if (parent !== undefined) low[parent] = Math.min(low[parent] as number, low[vertex] as number);
      if (low[vertex] !== index[vertex]) continue;
      for (let member = stack.pop(); member !== undefined; member = stack.pop()) {
        component[member] = found;
        if (member === vertex) break;
      }
      found++;
    }
  }
  return component;
}

/** Full reachability as bit sets, in component order (dependencies get lower component numbers). */
function reachability(edges: readonly ReadonlySet<number>[]): (from: number, to: number) => boolean {
  const count = edges.length;
  const words = Math.ceil(count / 32);
  const bits = new Uint32Array(count * words);
  const component = components(edges);
  const members: number[][] = [];
  component.forEach((number, vertex) => (members[number] ??= []).push(vertex));
  for (const group of members) {
    const first = group[0] as number;
    const row = bits.subarray(first * words, (first + 1) * words);
    for (const vertex of group) {
      for (const target of edges[vertex] ?? []) {
        row[target >> 5] = (row[target >> 5] as number) | (1 << (target & 31));
        if (component[target] === component[first]) continue;
        for (let word = 0; word < words; word++)
          row[word] = (row[word] as number) | (bits[target * words + word] as number);
      }
    }
    for (const vertex of group.slice(1)) bits.set(row, vertex * words);
  }
  return (from, to) => (((bits[from * words + (to >> 5)] as number) >>> (to & 31)) & 1) === 1;
}
