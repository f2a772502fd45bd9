/**
 * Says that whoever has `source` needs `target`. Both are points: the id of a node, or a name for something that nodes
 * add to (`module.net#self`: being in the module; `#all`: everything in it; `#outputs`; `module.net=cidr`: an argument of
 * the call; `=region`: the value of a root variable; `dir:templates`; `provider.aws` where no block has that name).
 *
 * - affects: a change of the target is one of the source
 * - needs: without the target the source makes no sense, but it does not depend on it
 * - inherits: affects, unless some node says otherwise what `source` is (a provider of the calling module)
 *
 * An edge is said by one node and goes with it; what it says depends on that node alone.
 */
export interface Edge {
  source: string;
  target: string;
  kind: EdgeKind;
}
export type EdgeKind = 'affects' | 'needs' | 'inherits';

/** What one node says of the configuration. */
export interface NodeShape {
  edges: Edge[];
  /** points that change when a part of the node does, with the hash of the part; other points only depend on these */
  parts: Map<string, string>;
  /** addresses without keys under which a state knows what the node is or was about */
  instances: string[];
  /** points of the providers that these instances need */
  providers: string[];
}

/** `module.net` → `module.net.`, the root → nothing. */
export function prefixOf(module: string): string {
  return module === '' ? '' : `${module}.`;
}
