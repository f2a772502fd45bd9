import {
  dependenciesOf,
  DependencyCycle,
  type Dirspace,
  type DirspaceKey,
  dirspaceKey,
} from '../../repo-config/index.js';

/** What the dirspaces of one run wait for, by their positions. Dirspaces with the same dependencies share a list. */
export interface RunOrder {
  /** positions of dirspaces */
  lists: number[][];
  /** by position: the list of what the dirspace depends on; undefined for nothing in this run */
  listOf: (number | undefined)[];
}

type Keys = ReadonlySet<DirspaceKey>;

/** Of all lists of a run together, as many as a configuration may name; what is beyond them has no order. */
const MAX_POSITIONS = 1_000_000;
const NONE: Keys = new Set();

/**
 * A dirspace waits for what it depends on in the run, also through dirspaces that are not part of it. A cycle has no
 * order: pull requests say that it is a mistake.
 *
 * @param among every dirspace of the commit
 */
export function runOrder(
  dirspaces: readonly Dirspace[],
  among: readonly Dirspace[] = dirspaces,
  maxPositions = MAX_POSITIONS,
): RunOrder {
  const edges = edgesOf(among);
  const reached = new ReachedPositions(
    new Map(dirspaces.map((dirspace, position) => [dirspaceKey(dirspace), position])),
    edges,
    maxPositions,
  );
  const lists: number[][] = [];
  const known = new Map<Keys, number | undefined>();
  const listOf = dirspaces.map((dirspace) => {
    const keys = edges.get(dirspaceKey(dirspace)) ?? NONE;
    if (known.has(keys)) return known.get(keys);
    const positions = reached.from(keys);
    const list = positions.length === 0 ? undefined : lists.push([...positions]) - 1;
    known.set(keys, list);
    return list;
  });
  return { lists, listOf };
}

/** Positions that a set of dependencies leads to. A path ends at a dirspace of the run: that one waits for the rest. */
class ReachedPositions {
  private readonly known = new Map<Keys, readonly number[]>();
  private left: number;

  constructor(
    private readonly positions: ReadonlyMap<DirspaceKey, number>,
    private readonly edges: ReadonlyMap<DirspaceKey, Keys>,
    maxPositions: number,
  ) {
    this.left = maxPositions;
  }

  /** Chains may be thousands long: no recursion. */
  from(keys: Keys): readonly number[] {
    const path = [{ keys, rest: keys.values() }];
    for (let top = path.at(-1); top; top = path.at(-1)) {
      const next = this.known.has(top.keys) ? undefined : top.rest.next();
      if (next && !next.done) {
        const through = this.through(next.value);
        if (!this.known.has(through)) path.push({ keys: through, rest: through.values() });
        continue;
      }
      if (!this.known.has(top.keys)) this.known.set(top.keys, this.union(top.keys));
      path.pop();
    }
    return this.known.get(keys) ?? [];
  }

  private through(key: DirspaceKey): Keys {
    return this.positions.has(key) ? NONE : (this.edges.get(key) ?? NONE);
  }

  private union(keys: Keys): readonly number[] {
    const found = new Set<number>();
    for (const key of keys) {
      const position = this.positions.get(key);
      if (position !== undefined) found.add(position);
      else if (this.left > 0) for (const each of this.known.get(this.through(key)) ?? []) found.add(each);
    }
    this.left -= found.size;
    return [...found];
  }
}

function edgesOf(dirspaces: readonly Dirspace[]): ReturnType<typeof dependenciesOf> {
  try {
    return dependenciesOf(dirspaces);
  } catch (error) {
    if (error instanceof DependencyCycle) return new Map();
    throw error;
  }
}
