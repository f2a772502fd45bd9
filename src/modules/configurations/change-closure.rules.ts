import { keyOf } from '../documents/index.js';
import type { Edge } from './configuration-edge.js';
import { shapeOf } from './configuration-graph.rules.js';
import type { ConfigurationChange, ConfigurationNode } from './configuration-node.rules.js';

/** How stored edges are to be read while a change stands above them. Points go by their keys. */
export interface GraphView {
  /** nodes that the change sets or deletes: what they said before does not count any more */
  replaced: readonly string[];
  /** points of which the change says what they are */
  defined: readonly string[];
}

/** The edges of a stored configuration. Every set of points that is answered is closed in itself. */
export interface StoredGraph {
  nodes(ids: readonly string[]): Promise<ConfigurationNode[]>;
  /** which of the points are nodes */
  nodesAmong(points: readonly string[]): Promise<string[]>;
  /** what a change of the points affects; edges of replaced nodes count too, for what depended on them is changed */
  dependents(points: readonly string[], view: GraphView): Promise<string[]>;
  /** what the points need */
  needs(points: readonly string[], view: GraphView): Promise<string[]>;
  /** which of the points something else than inheritance says what they are */
  defined(points: readonly string[], view: GraphView): Promise<string[]>;
  /** the nodes that points without a node of their own stood for before the change */
  meant(points: readonly string[]): Promise<string[]>;
}

/** What a change makes necessary; nodes by their keys. */
export interface ChangeClosure {
  /** changed, or depending on what was changed or removed */
  planned: Set<string>;
  /** all that these need, themselves included */
  included: Set<string>;
  /** what was stored of nodes that the change deletes */
  removed: ConfigurationNode[];
  /** nodes that differ from what was stored, by id: hashes, undefined for those that go */
  changed: Map<string, string | undefined>;
}

/** Follows a change through a configuration; what it has nothing to do with is not looked at. */
export async function closureOf(stored: StoredGraph, logged: ConfigurationChange): Promise<ChangeClosure> {
  const before = new Map((await stored.nodes([...logged.keys()])).map((node) => [node.id, node]));
  const change = new Map([...logged].filter(([id, node]) => isNews(before.get(id), node)));
  const overlay = new Overlay(change);
  const { points, nodes, removed } = whatChanged(before, change);
  if (nodes.length + removed.length === 0)
    return { planned: new Set(), included: new Set(), removed: [], changed: hashesOf(change) };
  await overlay.settleInheritance(stored);
  const affected = await overlay.spread(
    points.map((point) => keyOf(point)),
    (from) => stored.dependents(from, overlay.view),
    overlay.dependents,
  );
  const planned = new Set([...(await overlay.nodesAmong(stored, affected)), ...nodes.map((id) => keyOf(id))]);
  const providers = removed.flatMap((node) => shapeOf(node).providers.map((point) => keyOf(point)));
  const start = [
    ...planned,
    ...(await overlay.nodesAmong(stored, new Set(await stored.meant(providers)))),
    ...(removed.length > 0 ? [keyOf('#self')] : []),
  ];
  const needed = await overlay.spread(start, (from) => stored.needs(from, overlay.view), overlay.needs);
  return {
    planned,
    included: await overlay.nodesAmong(stored, needed),
    removed,
    changed: hashesOf(change),
  };
}

export function hashesOf(change: ConfigurationChange): Map<string, string | undefined> {
  return new Map([...change].map(([id, node]) => [id, node?.hash]));
}

/** A client may log what is stored already. */
export function isNews(known: ConfigurationNode | undefined, node: ConfigurationNode | null): boolean {
  if (!known || !node) return known !== undefined || node !== null;
  return known.hash !== node.hash || known.file !== node.file;
}

/** The points that differ, and the nodes they are parts of. */
function whatChanged(
  stored: ReadonlyMap<string, ConfigurationNode>,
  change: ConfigurationChange,
): { points: string[]; nodes: string[]; removed: ConfigurationNode[] } {
  const points: string[] = [];
  const nodes: string[] = [];
  const removed: ConfigurationNode[] = [];
  for (const [id, node] of change) {
    const known = stored.get(id);
    if (known && node && known.hash === node.hash) continue;
    const old = known ? shapeOf(known).parts : new Map<string, string>();
    const parts = node ? shapeOf(node).parts : new Map<string, string>();
    const before = points.length;
    for (const point of new Set([...old.keys(), ...parts.keys()]))
      if (old.get(point) !== parts.get(point)) points.push(point);
    if (node && points.length > before) nodes.push(id);
    if (known && !node) removed.push(known);
  }
  return { points, nodes, removed };
}

type Neighbours = Map<string, Set<string>>;

/** A change as a graph of its own, above the stored one. */
class Overlay {
  readonly view: GraphView;
  readonly dependents: Neighbours = new Map();
  readonly needs: Neighbours = new Map();
  private readonly set: ReadonlySet<string>;
  private readonly replaced: ReadonlySet<string>;
  private readonly inherited: Edge[];

  constructor(change: ConfigurationChange) {
    const nodes = [...change.values()].filter((node) => node !== null);
    const edges: Edge[] = nodes.flatMap((node) => shapeOf(node).edges);
    this.set = new Set(nodes.map(({ id }) => keyOf(id)));
    const said = edges.filter(({ kind }) => kind !== 'inherits');
    for (const edge of said) this.add(edge);
    const defined = new Set(said.map(({ source }) => source));
    this.inherited = edges.filter(({ kind, source }) => kind === 'inherits' && !defined.has(source));
    this.replaced = new Set([...change.keys()].map((id) => keyOf(id)));
    this.view = { replaced: [...this.replaced], defined: [...defined].map((point) => keyOf(point)) };
  }

  /** Keeps inheritance only where the stored configuration does not say otherwise. */
  async settleInheritance(stored: StoredGraph): Promise<void> {
    const sources = [...new Set(this.inherited.map(({ source }) => keyOf(source)))];
    const defined = new Set(sources.length > 0 ? await stored.defined(sources, this.view) : []);
    for (const edge of this.inherited) if (!defined.has(keyOf(edge.source))) this.add(edge);
  }

  /** All points that can be reached, over stored edges and those of the change in turn. */
  async spread(
    start: readonly string[],
    storedReach: (from: readonly string[]) => Promise<string[]>,
    own: Neighbours,
  ): Promise<Set<string>> {
    const found = new Set(start);
    let fresh = [...found];
    while (fresh.length > 0) {
      const reached = [...fresh, ...(await storedReach(fresh))];
      for (const point of reached) found.add(point);
      fresh = [];
      for (const queue = reached; ;) {
        const point = queue.pop();
        if (point === undefined) break;
        for (const next of own.get(point) ?? [])
          if (!found.has(next)) {
            found.add(next);
            fresh.push(next);
            queue.push(next);
          }
      }
    }
    return found;
  }

  /** Which points are nodes once the change is made. */
  async nodesAmong(stored: StoredGraph, points: ReadonlySet<string>): Promise<Set<string>> {
    const others = [...points].filter((point) => !this.replaced.has(point));
    const known = others.length > 0 ? await stored.nodesAmong(others) : [];
    return new Set([...known, ...[...points].filter((point) => this.set.has(point))]);
  }

  private add({ source, target, kind }: Edge): void {
    const [from, to] = [keyOf(source), keyOf(target)];
    put(this.needs, from, to);
    if (kind !== 'needs') put(this.dependents, to, from);
  }
}

function put(neighbours: Neighbours, from: string, to: string): void {
  const known = neighbours.get(from);
  if (known) known.add(to);
  else neighbours.set(from, new Set([to]));
}
