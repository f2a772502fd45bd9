import { deflateSync, inflateSync } from 'node:zlib';
import { instanceAddress, type InstanceMeta, resourceAddress } from '../documents/index.js';
import type { DependencyGraph } from './dependency-graph.rules.js';

/** The stored form of a graph: what the breadth-first search reads, and what the next write needs to rebuild it. */
export interface StoredGraph {
  /** pairs of single nodes, then quadruples of ranges; see RangePairs */
  pairs: Buffer;
  /** 16 bytes a node, in node order */
  keys: Buffer;
  /** deflated columns of the nodes */
  nodes: Buffer;
}

interface Columns {
  keys: string[];
  /** distinct values, and for each node an index into them */
  modules: (string | null)[];
  module: number[];
  kinds: [mode: string, type: string, name: string, provider: string][];
  kind: number[];
  dependencies: string[][];
  dependency: number[];
  index: (string | number | null)[];
  deposed: (string | null)[];
}

export function encodeGraph({ nodes, pairs }: DependencyGraph): StoredGraph {
  return {
    pairs: encodePairs(pairs),
    keys: encodeKeys(nodes),
    nodes: deflateSync(JSON.stringify(columnsOf(nodes)), { level: 1 }),
  };
}

function encodeKeys(nodes: readonly InstanceMeta[]): Buffer {
  const keys = Buffer.allocUnsafe(nodes.length * 16);
  nodes.forEach((node, index) => keys.write(node.key.replaceAll('-', ''), index * 16, 'hex'));
  return keys;
}

function columnsOf(nodes: readonly InstanceMeta[]): Columns {
  const modules = new Dictionary<string | null>();
  const kinds = new Dictionary<Columns['kinds'][number]>();
  const dependencies = new Dictionary<string[]>();
  return {
    keys: nodes.map((node) => node.key),
    module: nodes.map((node) => modules.indexOf(node.module ?? null)),
    modules: modules.values,
    kind: nodes.map((node) => kinds.indexOf([node.mode, node.type, node.name, node.provider])),
    kinds: kinds.values,
    dependency: nodes.map((node) => dependencies.indexOf(node.dependencies)),
    dependencies: dependencies.values,
    index: nodes.map((node) => node.indexKey ?? null),
    deposed: nodes.map((node) => node.deposed ?? null),
  };
}

/** Distinct values by their JSON text. */
class Dictionary<T> {
  readonly values: T[] = [];
  private readonly positions = new Map<string, number>();

  indexOf(value: T): number {
    const text = JSON.stringify(value);
    let position = this.positions.get(text);
    if (position === undefined) this.positions.set(text, (position = this.values.push(value) - 1));
    return position;
  }
}

export function decodeNodes(nodes: Buffer): InstanceMeta[] {
  const columns = JSON.parse(inflateSync(nodes).toString()) as Columns;
  return columns.keys.map((key, i) => {
    const module = columns.modules[columns.module[i] ?? -1] ?? undefined;
    const [mode, type, name, provider] = columns.kinds[columns.kind[i] ?? -1] ?? ['', '', '', ''];
    const indexKey = columns.index[i] ?? undefined;
    const deposed = columns.deposed[i] ?? undefined;
    const resource = resourceAddress(module, mode, type, name);
    return {
      key,
      address: instanceAddress(resource, indexKey),
      resourceAddress: resource,
      mode,
      type,
      name,
      provider,
      dependencies: columns.dependencies[columns.dependency[i] ?? -1] ?? [],
      ...(module === undefined ? {} : { module }),
      ...(indexKey === undefined ? {} : { indexKey }),
      ...(deposed === undefined ? {} : { deposed }),
    };
  });
}

function encodePairs(pairs: Uint32Array): Buffer {
  const singles: [number, number][] = [];
  const ranges: [number, number, number, number][] = [];
  for (let at = 0; at < pairs.length; at += 4) {
    const [from, to, dependentFrom, dependentTo] = [
      pairs[at],
      pairs[at + 1],
      pairs[at + 2],
      pairs[at + 3],
    ] as [number, number, number, number];
    if (to - from === 1 && dependentTo - dependentFrom === 1) singles.push([from, dependentFrom]);
    else ranges.push([from, to, dependentFrom, dependentTo]);
  }
  singles.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  ranges.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
  const body = new Uint32Array(1 + singles.length * 2 + ranges.length * 4);
  body[0] = singles.length;
  singles.forEach(([from, to], index) => {
    body[1 + index] = from;
    body[1 + singles.length + index] = to;
  });
  ranges.forEach((range, index) => body.set(range, 1 + singles.length * 2 + index * 4));
  return Buffer.from(body.buffer);
}

/** The range pairs of one state as the search uses them: which nodes depend on a node. */
export class RangePairs {
  private readonly from: Uint32Array;
  private readonly to: Uint32Array;
  private readonly ranges: Uint32Array;
  private readonly entered: Uint8Array;
  /** largest end of any range up to this one */
  private readonly reach: Uint32Array;

  constructor(bytes: Buffer) {
    const aligned = bytes.byteOffset % 4 === 0 ? bytes : Buffer.from(Uint8Array.from(bytes).buffer);
    const words = new Uint32Array(aligned.buffer, aligned.byteOffset, aligned.byteLength >> 2);
    const singles = words[0] ?? 0;
    this.from = words.subarray(1, 1 + singles);
    this.to = words.subarray(1 + singles, 1 + singles * 2);
    this.ranges = words.subarray(1 + singles * 2);
    this.entered = new Uint8Array(this.ranges.length >> 2);
    this.reach = new Uint32Array(this.ranges.length >> 2);
    for (let i = 0, furthest = 0; i < this.reach.length; i++) {
      furthest = Math.max(furthest, this.ranges[i * 4 + 1] as number);
      this.reach[i] = furthest;
    }
  }

  /** Reports the dependents of a node; those of a range that was reported before are left out. */
  dependentsOf(node: number, visit: (dependent: number) => void): void {
    for (let at = lowerBound(this.from, node); at < this.from.length && this.from[at] === node; at++)
      visit(this.to[at] as number);
    const { ranges } = this;
    // Ranges are sorted by where they begin; `reach` says from where on one may still cover the node.
    for (let at = upperBound(ranges, node) - 4; at >= 0 && (this.reach[at >> 2] as number) > node; at -= 4) {
      if ((ranges[at + 1] as number) <= node || this.entered[at >> 2] === 1) continue;
      this.entered[at >> 2] = 1;
      for (let dependent = ranges[at + 2] as number; dependent < (ranges[at + 3] as number); dependent++)
        visit(dependent);
    }
  }
}

/** Offset of the first quadruple that begins after the node. */
function upperBound(ranges: Uint32Array, node: number): number {
  let low = 0;
  let high = ranges.length >> 2;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((ranges[middle * 4] as number) <= node) low = middle + 1;
    else high = middle;
  }
  return low * 4;
}

function lowerBound(values: Uint32Array, wanted: number): number {
  let low = 0;
  let high = values.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((values[middle] as number) < wanted) low = middle + 1;
    else high = middle;
  }
  return low;
}
