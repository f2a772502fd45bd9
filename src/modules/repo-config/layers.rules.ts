import { directoryMatcher, parseTagQuery } from '../tag-query/index.js';
import { type Dirspace, taggedDirectory } from './directories.rules.js';

/** Directories depend on each other in a circle. */
export class DependencyCycle extends Error {
  constructor(readonly directories: readonly string[]) {
    super(`depends_on has a cycle: ${[...directories, directories[0]].join(' -> ')}`);
  }
}

export type DirspaceKey = string;
export const dirspaceKey = ({ dir, workspace }: Pick<Dirspace, 'dir' | 'workspace'>): DirspaceKey =>
  JSON.stringify([dir, workspace]);

/**
 * What each dirspace depends on among the given ones: an entry of `depends_on` names a directory, or else is a tag query.
 * A dirspace never depends on its own directory. Throws `DependencyCycle`.
 */
export function dependenciesOf(dirspaces: readonly Dirspace[]): Map<DirspaceKey, Set<DirspaceKey>> {
  const byDirectory = new Map<string, Dirspace[]>();
  for (const dirspace of dirspaces)
    byDirectory.set(dirspace.dir, [...(byDirectory.get(dirspace.dir) ?? []), dirspace]);
  const queries = new Map<string, Dirspace[]>();
  const matching = (entry: string): Dirspace[] => {
    const known = byDirectory.get(entry) ?? queries.get(entry);
    if (known) return known;
    const matches = directoryMatcher(parseTagQuery(entry));
    const found = dirspaces.filter((dirspace) => matches(taggedDirectory(dirspace)));
    queries.set(entry, found);
    return found;
  };
  const edges = new Map<DirspaceKey, Set<DirspaceKey>>();
  for (const dirspace of dirspaces)
    edges.set(
      dirspaceKey(dirspace),
      new Set(
        dirspace.dependsOn
          .flatMap(matching)
          .filter(({ dir }) => dir !== dirspace.dir)
          .map(dirspaceKey),
      ),
    );
  refuseCycles(edges);
  return edges;
}

/** Dirspaces all of whose dependencies among the changed ones are done; the others wait. */
export function readyDirspaces(
  changed: readonly Dirspace[],
  edges: ReadonlyMap<DirspaceKey, ReadonlySet<DirspaceKey>>,
  isDone: (key: DirspaceKey) => boolean,
): Dirspace[] {
  const changedKeys = new Set(changed.map(dirspaceKey));
  return changed.filter((dirspace) =>
    [...reachableFrom(dirspaceKey(dirspace), edges)].every((key) => !changedKeys.has(key) || isDone(key)),
  );
}

function reachableFrom(
  start: DirspaceKey,
  edges: ReadonlyMap<DirspaceKey, ReadonlySet<DirspaceKey>>,
): Set<DirspaceKey> {
  const found = new Set<DirspaceKey>();
  const waiting = [...(edges.get(start) ?? [])];
  for (let key = waiting.pop(); key !== undefined; key = waiting.pop()) {
    if (found.has(key)) continue;
    found.add(key);
    waiting.push(...(edges.get(key) ?? []));
  }
  return found;
}

function refuseCycles(edges: ReadonlyMap<DirspaceKey, ReadonlySet<DirspaceKey>>): void {
  const done = new Set<DirspaceKey>();
  for (const start of edges.keys()) {
    const path: DirspaceKey[] = [];
    const pending: { key: DirspaceKey; rest: DirspaceKey[] }[] = [];
    const enter = (key: DirspaceKey): void => {
      path.push(key);
      pending.push({ key, rest: [...(edges.get(key) ?? [])] });
    };
    if (!done.has(start)) enter(start);
    for (let top = pending.at(-1); top; top = pending.at(-1)) {
      const next = top.rest.pop();
      if (next === undefined) {
        done.add(top.key);
        pending.pop();
        path.pop();
      } else if (path.includes(next))
        throw new DependencyCycle(path.slice(path.indexOf(next)).map(directoryOf));
      else if (!done.has(next)) enter(next);
    }
  }
}

function directoryOf(key: DirspaceKey): string {
  return (JSON.parse(key) as [string, string])[0];
}
