import { packColumns, unpackColumns } from './packed-columns.js';

/** Sum of what depends on each node, and of what it depends on. */
export interface Degrees {
  dependents: Float64Array;
  dependencies: Float64Array;
  edges: number;
}

/**
 * What depends on what among the nodes of one state. Nodes of a group (a configuration address) stand together. An edge
 * between two groups is a list of range pairs: every node of the dependent range depends on every node of the
 * dependency range. Edges are sorted by their dependency group, the ranges of one edge ascend and do not overlap.
 */
export class GraphTopology {
  /** first edge of each dependency group */
  private readonly edgeStart: Uint32Array;
  /** edges by dependent group, worked out when first asked for */
  private byDependent: number[][] | undefined;

  constructor(
    readonly groupStart: Uint32Array,
    readonly dependency: Uint32Array,
    readonly dependent: Uint32Array,
    readonly pairStart: Uint32Array,
    /** dependency from and to (exclusive), dependent from and to (exclusive) */
    readonly pairs: readonly Uint32Array[],
  ) {
    this.edgeStart = new Uint32Array(groupStart.length);
    for (const group of dependency) this.edgeStart[group + 1] = (this.edgeStart[group + 1] ?? 0) + 1;
    for (let group = 1; group < this.edgeStart.length; group++)
      this.edgeStart[group] = (this.edgeStart[group] ?? 0) + (this.edgeStart[group - 1] ?? 0);
  }

  static decode(bytes: Buffer): GraphTopology {
    const { columns } = unpackColumns(bytes);
    const [groupStart, dependency, dependent, pairStart, ...pairs] = columns;
    if (!groupStart || !dependency || !dependent || !pairStart)
      throw new Error('the stored graph is incomplete');
    return new GraphTopology(groupStart, dependency, dependent, pairStart, pairs);
  }

  encode(): Buffer {
    const { groupStart, dependency, dependent, pairStart, pairs } = this;
    const columns = [groupStart, dependency, dependent, pairStart, ...pairs];
    return packColumns({ columns, text: Buffer.alloc(0) });
  }

  get size(): number {
    return this.groupStart.at(-1) ?? 0;
  }

  get pairCount(): number {
    return this.pairs[0]?.length ?? 0;
  }

  /** Reports the ranges that depend on a node, except those marked as entered, and marks them. */
  dependentsOf(node: number, entered: Uint8Array, visit: (from: number, to: number) => void): void {
    const [from, to, dependentFrom, dependentTo] = this.pairs;
    if (!from || !to || !dependentFrom || !dependentTo) return;
    const group = lastNotAbove(this.groupStart, node, 0, this.groupStart.length - 1);
    const end = this.edgeStart[group + 1] ?? 0;
    for (let edge = this.edgeStart[group] ?? 0; edge < end; edge++) {
      const pair = lastNotAbove(from, node, this.pairStart[edge] ?? 0, this.pairStart[edge + 1] ?? 0);
      if (pair < 0 || node >= (to[pair] ?? 0) || entered[pair] === 1) continue;
      entered[pair] = 1;
      visit(dependentFrom[pair] ?? 0, dependentTo[pair] ?? 0);
    }
  }

  /** Ranges of the nodes a node directly depends on. */
  dependenciesOf(node: number): { from: number; to: number }[] {
    const [from, to, dependentFrom, dependentTo] = this.pairs;
    if (!from || !to || !dependentFrom || !dependentTo) return [];
    const group = lastNotAbove(this.groupStart, node, 0, this.groupStart.length - 1);
    const ranges: { from: number; to: number }[] = [];
    for (const edge of this.edgesOfDependent(group)) {
      const pair = lastNotAbove(
        dependentFrom,
        node,
        this.pairStart[edge] ?? 0,
        this.pairStart[edge + 1] ?? 0,
      );
      if (pair >= 0 && node < (dependentTo[pair] ?? 0))
        ranges.push({ from: from[pair] ?? 0, to: to[pair] ?? 0 });
    }
    return ranges;
  }

  /** By difference arrays: linear in nodes and range pairs, never in edges. */
  degrees(): Degrees {
    const dependents = new Float64Array(this.size + 1);
    const dependencies = new Float64Array(this.size + 1);
    const [from, to, dependentFrom, dependentTo] = this.pairs;
    let edges = 0;
    for (let pair = 0; pair < this.pairCount; pair++) {
      const [left, right] = [from?.[pair] ?? 0, to?.[pair] ?? 0];
      const [first, end] = [dependentFrom?.[pair] ?? 0, dependentTo?.[pair] ?? 0];
      edges += (right - left) * (end - first);
      add(dependents, left, right, end - first);
      add(dependencies, first, end, right - left);
    }
    for (let node = 1; node < this.size; node++) {
      dependents[node] = (dependents[node] ?? 0) + (dependents[node - 1] ?? 0);
      dependencies[node] = (dependencies[node] ?? 0) + (dependencies[node - 1] ?? 0);
    }
    return { dependents, dependencies, edges };
  }

  private edgesOfDependent(group: number): readonly number[] {
    if (!this.byDependent) {
      const edges: number[][] = Array.from({ length: this.groupStart.length }, () => []);
      this.dependent.forEach((dependent, edge) => edges[dependent]?.push(edge));
      this.byDependent = edges;
    }
    return this.byDependent[group] ?? [];
  }
}

function add(values: Float64Array, from: number, to: number, count: number): void {
  values[from] = (values[from] ?? 0) + count;
  values[to] = (values[to] ?? 0) - count;
}

/** Position of the last of ascending values in [low, high) that is not above the wanted one; -1 when all are. */
function lastNotAbove(values: Uint32Array, wanted: number, low: number, high: number): number {
  const start = low;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] ?? 0) <= wanted) low = middle + 1;
    else high = middle;
  }
  return low === start ? -1 : low - 1;
}
