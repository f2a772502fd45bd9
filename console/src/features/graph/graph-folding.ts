import type { GraphEdgeView, GraphNodeView } from '../../platform/client';

export interface DrawnNode {
  key: string;
  label: string;
  /** the instance it stands for; undefined for a folded module */
  instance: GraphNodeView | undefined;
  type: string;
  module: string;
  distance: number;
  /** instances it stands for */
  size: number;
}

export interface DrawnEdge {
  from: string;
  to: string;
}

export interface Drawing {
  nodes: DrawnNode[];
  edges: DrawnEdge[];
}

const ROOT = 'root';

/** What is drawn: every instance, or each module other than the root as one node. */
export function drawingOf(
  nodes: readonly GraphNodeView[],
  edges: readonly GraphEdgeView[],
  isFolded: boolean,
): Drawing {
  const keys = new Map(nodes.map((node) => [node.id, keyOf(node, isFolded)]));
  const drawn = new Map<string, DrawnNode>();
  for (const node of nodes) {
    const key = keyOf(node, isFolded);
    const known = drawn.get(key);
    if (!known) drawn.set(key, firstOf(key, node, isFolded));
    else
      drawn.set(key, { ...known, size: known.size + 1, distance: Math.min(known.distance, node.distance) });
  }
  return { nodes: [...drawn.values()], edges: edgesBetween(keys, edges) };
}

function keyOf(node: GraphNodeView, isFolded: boolean): string {
  return isFolded && node.module !== null ? `${node.state_id} ${node.module}` : String(node.id);
}

function firstOf(key: string, node: GraphNodeView, isFolded: boolean): DrawnNode {
  const isModule = isFolded && node.module !== null;
  return {
    key,
    label: isModule ? (node.module ?? '') : node.address,
    instance: isModule ? undefined : node,
    type: isModule ? 'module' : node.type,
    module: node.module ?? ROOT,
    distance: node.distance,
    size: 1,
  };
}

/** Edges inside of a folded module, and repeated ones, are left out. */
function edgesBetween(keys: ReadonlyMap<number, string>, edges: readonly GraphEdgeView[]): DrawnEdge[] {
  const found = new Map<string, DrawnEdge>();
  for (const edge of edges) {
    const [from, to] = [keys.get(edge.from), keys.get(edge.to)];
    if (from !== undefined && to !== undefined && from !== to) found.set(`${from}\n${to}`, { from, to });
  }
  return [...found.values()];
}
