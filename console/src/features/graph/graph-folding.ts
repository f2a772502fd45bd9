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

/** Which modules are one node: none, or all but the opened ones. */
export interface Folding {
  isFolded: boolean;
  /** keys of modules that were opened again */
  opened: readonly string[];
}

/** What is drawn: every instance, or each folded module as one node. Instances of the root module are never folded. */
export function drawingOf(
  nodes: readonly GraphNodeView[],
  edges: readonly GraphEdgeView[],
  { isFolded, opened }: Folding,
): Drawing {
  const open = new Set(opened);
  const foldedKey = (node: GraphNodeView): string | undefined => {
    const key = isFolded && node.module !== null ? `${node.state_id} ${node.module}` : undefined;
    return key === undefined || open.has(key) ? undefined : key;
  };
  const keys = new Map(nodes.map((node) => [node.id, foldedKey(node) ?? String(node.id)]));
  const drawn = new Map<string, DrawnNode>();
  for (const node of nodes) {
    const folded = foldedKey(node);
    const key = folded ?? String(node.id);
    const known = drawn.get(key);
    if (!known) drawn.set(key, firstOf(key, node, folded !== undefined));
    else
      drawn.set(key, { ...known, size: known.size + 1, distance: Math.min(known.distance, node.distance) });
  }
  return { nodes: [...drawn.values()], edges: edgesBetween(keys, edges) };
}

function firstOf(key: string, node: GraphNodeView, isModule: boolean): DrawnNode {
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
