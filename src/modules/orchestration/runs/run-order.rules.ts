import { dependenciesOf, DependencyCycle, type Dirspace, dirspaceKey } from '../../repo-config/index.js';

/** What the dirspaces of one run wait for, by their positions. Dirspaces with the same dependencies share a list. */
export interface RunOrder {
  /** positions of dirspaces */
  lists: number[][];
  /** by position: the list of what the dirspace depends on; undefined for nothing in this run */
  listOf: (number | undefined)[];
}

/** Dependencies outside of the run do not count. A cycle has no order: pull requests say that it is a mistake. */
export function runOrder(dirspaces: readonly Dirspace[]): RunOrder {
  const positions = new Map(dirspaces.map((dirspace, position) => [dirspaceKey(dirspace), position]));
  const edges = edgesOf(dirspaces);
  const lists: number[][] = [];
  const known = new Map<ReadonlySet<string>, number>();
  const listOf = dirspaces.map((dirspace) => {
    const keys = edges.get(dirspaceKey(dirspace));
    if (keys === undefined || keys.size === 0) return undefined;
    const list = known.get(keys) ?? lists.push([...keys].flatMap((key) => positions.get(key) ?? [])) - 1;
    known.set(keys, list);
    return list;
  });
  return { lists, listOf };
}

function edgesOf(dirspaces: readonly Dirspace[]): ReturnType<typeof dependenciesOf> {
  try {
    return dependenciesOf(dirspaces);
  } catch (error) {
    if (error instanceof DependencyCycle) return new Map();
    throw error;
  }
}
