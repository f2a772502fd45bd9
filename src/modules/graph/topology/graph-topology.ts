import { packColumns, unpackColumns } from './packed-columns.js';

/** Sum of what depends on each node, and of what it depends on. */
export interface Degrees {
  dependents: Float64Array;
  dependencies: Float64Array;
  edges: number;
}

/** A range of nodes of one group. */
export interface NodeRange {
  group: number;
  from: number;
  to: number;
}

/** The range pairs of edges that do not join two whole groups: ascending within an edge, never overlapping. */
export interface RangePairs {
  /** first pair of each edge, and the end of the last; an edge without pairs joins whole groups */
  start: Uint32Array;
  /** dependency from and to (exclusive), dependent from and to (exclusive) */
  columns: readonly [Uint32Array, Uint32Array, Uint32Array, Uint32Array];
}

const EMPTY = new Uint32Array();

/**
 * What depends on what among the nodes of one state. Nodes of a group (a configuration address) stand together. An edge
 * between two groups says: every node of the dependent depends on every node of the dependency; or it lists pairs of
 * ranges for which this holds. Edges are sorted by their dependency.
 */
export class GraphTopology {
  /** edges by dependent group, worked out when first asked for */
  private byDependent: { edges: number[][]; dependency: Uint32Array } | undefined;

  /**
   * @param groupStart first node of each group, and the number of nodes
   * @param edgeStart first edge of each dependency group, and the number of edges
   * @param dependent the dependent group of each edge
   * @param pairs undefined when every edge joins whole groups
   */
  constructor(
    private readonly groupStart: Uint32Array,
    private readonly edgeStart: Uint32Array,
    private readonly dependent: Uint32Array,
    private readonly pairs: RangePairs | undefined,
  ) {}

  /** @param allocate gives the memory it lives in */
  static decode(bytes: Buffer, allocate?: (length: number) => Uint32Array): GraphTopology {
    const { columns } = unpackColumns(bytes, allocate);
    const [groupStart, edgeStart, dependent, start, ...pairs] = columns;
    if (!groupStart || !edgeStart || !dependent) throw new Error('the stored graph is incomplete');
    const [a, b, c, d] = pairs;
    const ranges = start && a && b && c && d ? { start, columns: [a, b, c, d] as const } : undefined;
    return new GraphTopology(groupStart, edgeStart, dependent, ranges);
  }

  encode(): Buffer {
    const { groupStart, edgeStart, dependent, pairs } = this;
    const ranges = pairs ? [pairs.start, ...pairs.columns] : [];
    return packColumns({ columns: [groupStart, edgeStart, dependent, ...ranges], text: Buffer.alloc(0) });
  }

  get size(): number {
    return this.groupStart.at(-1) ?? 0;
  }

  /** Edges that join whole groups, and range pairs of the others: a search enters each once. */
  get entrances(): number {
    return this.dependent.length + (this.pairs?.columns[0].length ?? 0);
  }

  /** Whether some edges join parts of groups only. */
  get hasPairs(): boolean {
    return this.pairs !== undefined;
  }

  hasDependents(group: number): boolean {
    return (this.edgeStart[group] ?? 0) < (this.edgeStart[group + 1] ?? 0);
  }

  groupOf(node: number): number {
    return lastNotAbove(this.groupStart, node, 0, this.groupStart.length - 1);
  }

  /** Reports the ranges that depend on a node, except those marked as entered, and marks them. */
  dependentsOf(
    node: number,
    group: number,
    entered: Uint8Array,
    visit: (group: number, from: number, to: number) => void,
  ): void {
    const { groupStart, dependent, pairs } = this;
    const end = this.edgeStart[group + 1] as number;
    for (let edge = this.edgeStart[group] as number; edge < end; edge++) {
      const other = dependent[edge] as number;
      const first = pairs ? (pairs.start[edge] as number) : 0;
      const last = pairs ? (pairs.start[edge + 1] as number) : 0;
      if (!pairs || first === last) {
        if (entered[edge] === 1) continue;
        entered[edge] = 1;
        visit(other, groupStart[other] as number, groupStart[other + 1] as number);
        continue;
      }
      const [from, to, dependentFrom, dependentTo] = pairs.columns;
      const pair = lastNotAbove(from, node, first, last);
      if (pair < 0 || node >= (to[pair] as number) || entered[dependent.length + pair] === 1) continue;
      entered[dependent.length + pair] = 1;
      visit(other, dependentFrom[pair] as number, dependentTo[pair] as number);
    }
  }

  /**
   * Marks everything behind some nodes, in any order, and says how many were not marked before.
   * @param stack room for two numbers of every node
   */
  markBehind(nodes: readonly number[], stack: Uint32Array, entered: Uint8Array, marked: Uint8Array): number {
    return this.pairs
      ? this.markBehindPairs(nodes, stack, entered, marked)
      : this.markBehindGroups(nodes, stack, entered, marked);
  }

  /** Of nodes of one group all depend on the same: what is behind a group is looked for, not what is behind each node. */
  private markBehindGroups(
    nodes: readonly number[],
    stack: Uint32Array,
    entered: Uint8Array,
    marked: Uint8Array,
  ): number {
    const { groupStart, edgeStart, dependent } = this;
    let [top, count] = [0, 0];
    for (const node of nodes) stack[top++] = this.groupOf(node);
    while (top > 0) {
      const group = stack[--top] as number;
      const end = edgeStart[group + 1] as number;
      for (let edge = edgeStart[group] as number; edge < end; edge++) {
        if (entered[edge] === 1) continue;
        entered[edge] = 1;
        const other = dependent[edge] as number;
        const before = count;
        const last = groupStart[other + 1] as number;
        for (let node = groupStart[other] as number; node < last; node++) {
          if (marked[node] === 1) continue;
          marked[node] = 1;
          count++;
        }
        if (count > before) stack[top++] = other;
      }
    }
    return count;
  }

  private markBehindPairs(
    nodes: readonly number[],
    stack: Uint32Array,
    entered: Uint8Array,
    marked: Uint8Array,
  ): number {
    let [top, count] = [0, 0];
    const push = (node: number, group: number): void => {
      stack[top] = node;
      stack[top + 1] = group;
      top += 2;
    };
    const visit = (group: number, from: number, to: number): void => {
      for (let node = from; node < to; node++) {
        if (marked[node] === 1) continue;
        marked[node] = 1;
        count++;
        push(node, group);
      }
    };
    for (const node of nodes) push(node, this.groupOf(node));
    while (top > 0) {
      top -= 2;
      this.dependentsOf(stack[top] as number, stack[top + 1] as number, entered, visit);
    }
    return count;
  }

  /** The same against the edges: reports the ranges a node depends on, except those marked as entered, and marks them. */
  dependenciesEntering(
    node: number,
    entered: Uint8Array,
    visit: (group: number, from: number, to: number) => void,
  ): void {
    this.byDependent ??= this.indexByDependent();
    const { edges, dependency } = this.byDependent;
    const [from, to, dependentFrom, dependentTo] = this.pairs?.columns ?? [EMPTY, EMPTY, EMPTY, EMPTY];
    for (const edge of edges[this.groupOf(node)] ?? []) {
      const group = dependency[edge] ?? 0;
      const [first, last] = this.pairsOf(edge);
      if (first === last) {
        if (entered[edge] === 1) continue;
        entered[edge] = 1;
        visit(group, this.groupStart[group] ?? 0, this.groupStart[group + 1] ?? 0);
        continue;
      }
      const pair = lastNotAbove(dependentFrom, node, first, last);
      if (pair < 0 || node >= (dependentTo[pair] ?? 0)) continue;
      if (entered[this.dependent.length + pair] === 1) continue;
      entered[this.dependent.length + pair] = 1;
      visit(group, from[pair] ?? 0, to[pair] ?? 0);
    }
  }

  /** Ranges of the nodes a node directly depends on. */
  dependenciesOf(node: number): NodeRange[] {
    this.byDependent ??= this.indexByDependent();
    const { edges, dependency } = this.byDependent;
    const [from, to, dependentFrom, dependentTo] = this.pairs?.columns ?? [EMPTY, EMPTY, EMPTY, EMPTY];
    const ranges: NodeRange[] = [];
    for (const edge of edges[this.groupOf(node)] ?? []) {
      const group = dependency[edge] ?? 0;
      const [first, last] = this.pairsOf(edge);
      if (first === last) {
        ranges.push({ group, from: this.groupStart[group] ?? 0, to: this.groupStart[group + 1] ?? 0 });
        continue;
      }
      const pair = lastNotAbove(dependentFrom, node, first, last);
      if (pair >= 0 && node < (dependentTo[pair] ?? 0))
        ranges.push({ group, from: from[pair] ?? 0, to: to[pair] ?? 0 });
    }
    return ranges;
  }

  /** By difference arrays: linear in nodes, edges between groups and range pairs, never in edges between nodes. */
  degrees(): Degrees {
    const dependents = new Float64Array(this.size + 1);
    const dependencies = new Float64Array(this.size + 1);
    let edges = 0;
    const join = (left: number, right: number, first: number, end: number): void => {
      edges += (right - left) * (end - first);
      add(dependents, left, right, end - first);
      add(dependencies, first, end, right - left);
    };
    const { groupStart } = this;
    const [from, to, dependentFrom, dependentTo] = this.pairs?.columns ?? [EMPTY, EMPTY, EMPTY, EMPTY];
    this.eachEdge((edge, group) => {
      const other = this.dependent[edge] ?? 0;
      const [start, end] = this.pairsOf(edge);
      if (start === end)
        join(
          groupStart[group] ?? 0,
          groupStart[group + 1] ?? 0,
          groupStart[other] ?? 0,
          groupStart[other + 1] ?? 0,
        );
      for (let pair = start; pair < end; pair++)
        join(from[pair] ?? 0, to[pair] ?? 0, dependentFrom[pair] ?? 0, dependentTo[pair] ?? 0);
    });
    for (let node = 1; node < this.size; node++) {
      dependents[node] = (dependents[node] ?? 0) + (dependents[node - 1] ?? 0);
      dependencies[node] = (dependencies[node] ?? 0) + (dependencies[node - 1] ?? 0);
    }
    return { dependents, dependencies, edges };
  }

  private pairsOf(edge: number): [start: number, end: number] {
    return this.pairs ? [this.pairs.start[edge] ?? 0, this.pairs.start[edge + 1] ?? 0] : [0, 0];
  }

  /** Every edge between groups, whatever part of them it joins. */
  eachEdge(visit: (edge: number, dependency: number, dependent: number) => void): void {
    for (let group = 0; group + 1 < this.edgeStart.length; group++)
      for (let edge = this.edgeStart[group] ?? 0; edge < (this.edgeStart[group + 1] ?? 0); edge++)
        visit(edge, group, this.dependent[edge] ?? 0);
  }

  private indexByDependent(): { edges: number[][]; dependency: Uint32Array } {
    const edges: number[][] = Array.from({ length: this.groupStart.length }, () => []);
    const dependency = new Uint32Array(this.dependent.length);
    this.eachEdge((edge, group) => {
      dependency[edge] = group;
      edges[this.dependent[edge] ?? 0]?.push(edge);
    });
    return { edges, dependency };
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
