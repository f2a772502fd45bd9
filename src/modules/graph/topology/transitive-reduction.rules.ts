/** Steps of searching after which what is left is kept as it is: some 0.3 s, reached by no estate seen so far. */
const MOST_STEPS = 40_000_000;

/**
 * Transitive reduction of `dependencies[i]` = the vertices that vertex i depends on. A dependency goes when another way
 * to it leads through a third component; inside of a cycle every declared edge stays, because none is more redundant
 * than another. Components are handled from the bottom up, the nearest dependency first: what it reaches needs no
 * edge of its own.
 */
export function reduceTransitively(
  dependencies: readonly (readonly number[])[],
  mostSteps = MOST_STEPS,
): number[][] {
  const component = components(dependencies);
  const members = membersOf(component);
  const kept: number[][] = [];
  const reached = new Int32Array(members.length).fill(-1);
  const wanted = new Int32Array(members.length).fill(-1);
  const result: number[][] = dependencies.map(() => []);
  let steps = 0;

  const reach = (from: number, lowest: number, mark: number): void => {
    const open = [from];
    for (let next = open.pop(); next !== undefined; next = open.pop()) {
      for (const target of kept[next] ?? []) {
        steps++;
        if (target < lowest || reached[target] === mark) continue;
        reached[target] = mark;
        open.push(target);
      }
    }
  };

  members.forEach((vertices, number) => {
    const candidates = new Set<number>();
    for (const vertex of vertices)
      for (const target of dependencies[vertex] ?? []) {
        const other = component[target] ?? 0;
        if (other !== number) candidates.add(other);
      }
    const nearestFirst = [...candidates].sort((a, b) => b - a);
    const lowest = nearestFirst.at(-1) ?? 0;
    const direct: number[] = [];
    for (const candidate of nearestFirst) {
      if (reached[candidate] === number) continue;
      direct.push(candidate);
      wanted[candidate] = number;
      if (steps < mostSteps) reach(candidate, lowest, number);
    }
    kept.push(direct);
    for (const vertex of vertices)
      result[vertex] = (dependencies[vertex] ?? []).filter((target) => {
        const other = component[target] ?? 0;
        return other === number || wanted[other] === number;
      });
  });
  return result;
}

function membersOf(component: Int32Array): number[][] {
  const members: number[][] = [];
  component.forEach((number, vertex) => (members[number] ??= []).push(vertex));
  return members;
}

/** Strongly connected components (Tarjan, without recursion); what a component depends on has a lower number. */
export function components(edges: readonly (readonly number[])[]): Int32Array {
  const count = edges.length;
  const index = new Int32Array(count).fill(-1);
  const low = new Int32Array(count);
  const component = new Int32Array(count).fill(-1);
  const progress = new Int32Array(count);
  const open: number[] = [];
  const path: number[] = [];
  let next = 0;
  let found = 0;
  const enter = (vertex: number) => {
    index[vertex] = low[vertex] = next++;
    open.push(vertex);
    path.push(vertex);
  };
  for (let root = 0; root < count; root++) {
    if (index[root] !== -1) continue;
    enter(root);
    for (let vertex = path.at(-1); vertex !== undefined; vertex = path.at(-1)) {
      const target = edges[vertex]?.[progress[vertex] ?? 0];
      if (target !== undefined) {
        progress[vertex] = (progress[vertex] ?? 0) + 1;
        if (index[target] === -1) enter(target);
        else if (component[target] === -1) low[vertex] = Math.min(low[vertex] ?? 0, index[target] ?? 0);
        continue;
      }
      path.pop();
      const parent = path.at(-1);
      if (parent !== undefined) low[parent] = Math.min(low[parent] ?? 0, low[vertex] ?? 0);
      if (low[vertex] !== index[vertex]) continue;
      for (let member = open.pop(); member !== undefined; member = open.pop()) {
        component[member] = found;
        if (member === vertex) break;
      }
      found++;
    }
  }
  return component;
}
