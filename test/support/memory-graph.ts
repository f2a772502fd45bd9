import type { Edge } from '../../src/modules/configurations/configuration-edge.js';
import { shapeOf } from '../../src/modules/configurations/configuration-graph.rules.js';
import type { ConfigurationNode } from '../../src/modules/configurations/configuration-node.rules.js';
import type { GraphView, StoredGraph } from '../../src/modules/configurations/change-closure.rules.js';
import { keyOf } from '../../src/modules/documents/index.js';

/** A stored configuration without a database. */
export function memoryGraph(nodes: readonly ConfigurationNode[]): StoredGraph {
  const keys = new Set(nodes.map(({ id }) => keyOf(id)));
  const edges = nodes.flatMap((node) =>
    shapeOf(node).edges.map((edge) => ({
      ...edge,
      owner: keyOf(node.id),
      source: keyOf(edge.source),
      target: keyOf(edge.target),
    })),
  );
  const saysWhat = (source: string, { replaced, defined }: GraphView) =>
    defined.includes(source) ||
    edges.some(
      (edge) => edge.source === source && edge.kind !== 'inherits' && !replaced.includes(edge.owner),
    );
  const counts = (edge: Edge, view: GraphView) => edge.kind !== 'inherits' || !saysWhat(edge.source, view);
  const reach = (from: readonly string[], step: (point: string) => string[]) => {
    const found = new Set(from);
    for (const point of found) for (const next of step(point)) found.add(next);
    return Promise.resolve([...found]);
  };
  return {
    nodes: (ids) => Promise.resolve(nodes.filter(({ id }) => ids.includes(id))),
    nodesAmong: (points) => Promise.resolve(points.filter((point) => keys.has(point))),
    dependents: (from, view) =>
      reach(from, (point) =>
        edges
          .filter((edge) => edge.target === point && edge.kind !== 'needs' && counts(edge, view))
          .map(({ source }) => source),
      ),
    needs: (from, view) =>
      reach(from, (point) =>
        edges
          .filter(
            (edge) => edge.source === point && !view.replaced.includes(edge.owner) && counts(edge, view),
          )
          .map(({ target }) => target),
      ),
    defined: (points, view) =>
      Promise.resolve(points.filter((point) => saysWhat(point, { ...view, defined: [] }))),
    meant: (points) => {
      const view = { replaced: [], defined: [] };
      return reach(points, (point) =>
        keys.has(point)
          ? []
          : edges.filter((edge) => edge.source === point && counts(edge, view)).map(({ target }) => target),
      );
    },
  };
}
