import { directoryMatcher, parseTagQuery } from '../tag-query/index.js';
import { type Dirspace, taggedDirectory } from './directories.rules.js';
import { CONFIG_FILE, InvalidRepoConfig } from './repo-config.errors.js';

/** Directories depend on each other in a circle. */
export class DependencyCycle extends Error {
  constructor(readonly directories: readonly string[]) {
    super(`depends_on has a cycle: ${[...directories, directories[0]].join(' -> ')}`);
  }
}

export type DirspaceKey = string;
export const dirspaceKey = ({ dir, workspace }: Pick<Dirspace, 'dir' | 'workspace'>): DirspaceKey =>
  JSON.stringify([dir, workspace]);

/** Dependencies of all directories of a repository; lists that say the same count once. */
const MAX_DEPENDENCIES = 1_000_000;
const NONE: ReadonlySet<DirspaceKey> = new Set();

/**
 * What each dirspace depends on among the given ones: an entry of `depends_on` names a directory, or else is a tag query.
 * A dirspace never depends on its own directory. Throws `DependencyCycle`, and `InvalidRepoConfig` for what is no query.
 */
export function dependenciesOf(dirspaces: readonly Dirspace[]): Map<DirspaceKey, ReadonlySet<DirspaceKey>> {
  const lists = new DependencyLists(dirspaces);
  const edges = new Map(dirspaces.map((dirspace) => [dirspaceKey(dirspace), lists.of(dirspace)]));
  refuseCycles(edges);
  return edges;
}

/** Thousands of directories may depend on thousands: those with the same list share one set. */
class DependencyLists {
  private readonly byDirectory = new Map<string, Dirspace[]>();
  private readonly queries = new Map<string, Dirspace[]>();
  private readonly lists = new Map<string, Dirspace[]>();
  private readonly sets = new Map<string, ReadonlySet<DirspaceKey>>();
  private left = MAX_DEPENDENCIES;

  constructor(private readonly dirspaces: readonly Dirspace[]) {
    for (const dirspace of dirspaces)
      this.byDirectory.set(dirspace.dir, [...(this.byDirectory.get(dirspace.dir) ?? []), dirspace]);
  }

  of({ dir, dependsOn }: Dirspace): ReadonlySet<DirspaceKey> {
    if (dependsOn.length === 0) return NONE;
    const name = JSON.stringify(dependsOn);
    const list = this.lists.get(name) ?? this.listOf(name, dependsOn);
    const isOwn = list.some((dirspace) => dirspace.dir === dir);
    const key = isOwn ? JSON.stringify([dir, dependsOn]) : name;
    const known = this.sets.get(key);
    if (known) return known;
    const others = isOwn ? list.filter((dirspace) => dirspace.dir !== dir) : list;
    this.count(others.length);
    const made = new Set(others.map(dirspaceKey));
    this.sets.set(key, made);
    return made;
  }

  private listOf(name: string, dependsOn: readonly string[]): Dirspace[] {
    const found = new Set<Dirspace>();
    for (const entry of dependsOn) {
      const matching = this.matching(entry);
      this.count(matching.length);
      for (const dirspace of matching) found.add(dirspace);
    }
    const list = [...found];
    this.lists.set(name, list);
    return list;
  }

  private matching(entry: string): Dirspace[] {
    const known = this.byDirectory.get(entry) ?? this.queries.get(entry);
    if (known) return known;
    const matches = directoryMatcher(queryOf(entry));
    const found = this.dirspaces.filter((dirspace) => matches(taggedDirectory(dirspace)));
    this.queries.set(entry, found);
    return found;
  }

  private count(dependencies: number): void {
    this.left -= dependencies;
    if (this.left < 0) throw mistake(`must not name more than ${MAX_DEPENDENCIES} dependencies in all`);
  }
}

function queryOf(entry: string): ReturnType<typeof parseTagQuery> {
  try {
    return parseTagQuery(entry);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw mistake(`${JSON.stringify(entry)} is neither a directory nor a tag query: ${reason}`);
  }
}

function mistake(message: string): InvalidRepoConfig {
  return new InvalidRepoConfig([{ file: CONFIG_FILE, line: 1, key: 'depends_on', message }]);
}

/** Dirspaces all of whose dependencies among the changed ones are done; the others wait. */
export function readyDirspaces(
  changed: readonly Dirspace[],
  edges: ReadonlyMap<DirspaceKey, ReadonlySet<DirspaceKey>>,
  isDone: (key: DirspaceKey) => boolean,
): Dirspace[] {
  const changedKeys = new Set(changed.map(dirspaceKey));
  const answers = new Map<ReadonlySet<DirspaceKey>, boolean>();
  return changed.filter((dirspace) => {
    const key = dirspaceKey(dirspace);
    const direct = edges.get(key) ?? NONE;
    let isReady = answers.get(direct);
    if (isReady === undefined) {
      isReady = [...reachableFrom(key, edges)].every((each) => !changedKeys.has(each) || isDone(each));
      answers.set(direct, isReady);
    }
    return isReady;
  });
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
