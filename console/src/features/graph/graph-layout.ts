import Graph from 'graphology';
import forceAtlas2 from 'graphology-layout-forceatlas2';

export interface LayoutTask {
  /** distance of each node, in order */
  distances: number[];
  /** pairs of positions in `distances` */
  edges: [number, number][];
}

const RING = 100;
/** Fewer rounds for larger graphs: the time stays about the same. */
const NODE_ROUNDS = 60_000;

/** In a small graph, parts that are not connected stay near each other: the room is for their names. */
const SMALL = 100;

/** Places nodes; the same graph always gets the same picture. Returns x and y of each node. */
export function layout({ distances, edges }: LayoutTask): Float64Array {
  const graph = new Graph({ type: 'undirected', multi: false });
  const onRing = new Map<number, number>();
  for (const distance of distances) onRing.set(distance, (onRing.get(distance) ?? 0) + 1);
  const placed = new Map<number, number>();
  distances.forEach((distance, index) => {
    const position = placed.get(distance) ?? 0;
    placed.set(distance, position + 1);
    const angle = (2 * Math.PI * position) / (onRing.get(distance) ?? 1) + distance * 0.5;
    // The center of a single node, a ring for all others.
    const radius = RING * (distance + (onRing.get(distance) === 1 ? 0 : 1));
    graph.addNode(index, { x: radius * Math.cos(angle), y: radius * Math.sin(angle) });
  });
  for (const [from, to] of edges) if (!graph.hasEdge(from, to)) graph.addEdge(from, to);
  const iterations = Math.round(Math.min(300, Math.max(30, NODE_ROUNDS / Math.max(1, distances.length))));
  const settings = {
    ...forceAtlas2.inferSettings(graph),
    ...(distances.length < SMALL ? { gravity: 1 } : {}),
    barnesHutOptimize: distances.length > 300,
    adjustSizes: false,
  };
  if (graph.size > 0) forceAtlas2.assign(graph, { iterations, settings });
  const places = new Float64Array(distances.length * 2);
  graph.forEachNode((node, { x, y }: { x?: number; y?: number }) => {
    places[Number(node) * 2] = x ?? 0;
    places[Number(node) * 2 + 1] = y ?? 0;
  });
  return places;
}
