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
  inOrder(edges);
  return edges;
}

/** Thousands of directories may depend on thousands: those with the same list share one set. */
class DependencyLists {
  private readonly byDirectory = new Map<string, Dirspace[]>();
  private readonly queries = new Map<string, Dirspace[]>();
  private readonly lists = new Map<string, { list: Dirspace[]; directories: ReadonlySet<string> }>();
  private readonly sets = new Map<string, ReadonlySet<DirspaceKey>>();
  private left = MAX_DEPENDENCIES;

  constructor(private readonly dirspaces: readonly Dirspace[]) {
    for (const dirspace of dirspaces) {
      const known = this.byDirectory.get(dirspace.dir);
      if (known) known.push(dirspace);
      else this.byDirectory.set(dirspace.dir, [dirspace]);
    }
  }

  of({ dir, dependsOn }: Dirspace): ReadonlySet<DirspaceKey> {
    if (dependsOn.length === 0) return NONE;
    const name = JSON.stringify(dependsOn);
    const { list, directories } = this.lists.get(name) ?? this.listOf(name, dependsOn);
    const isOwn = directories.has(dir);
    const key = isOwn ? JSON.stringify([dir, dependsOn]) : name;
    const known = this.sets.get(key);
    if (known) return known;
    const others = isOwn ? list.filter((dirspace) => dirspace.dir !== dir) : list;
    this.count(others.length);
    const made = new Set(others.map(dirspaceKey));
    this.sets.set(key, made);
    return made;
  }

  private listOf(
    name: string,
    dependsOn: readonly string[],
  ): { list: Dirspace[]; directories: ReadonlySet<string> } {
    const found = new Set<Dirspace>();
    for (const entry of dependsOn) {
      const matching = this.matching(entry);
      this.count(matching.length);
      for (const dirspace of matching) found.add(dirspace);
    }
    const made = { list: [...found], directories: new Set([...found].map(({ dir }) => dir)) };
    this.lists.set(name, made);
    return made;
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

type Edges = ReadonlyMap<DirspaceKey, ReadonlySet<DirspaceKey>>;

/** Dirspaces all of whose dependencies among the changed ones are done, direct or not; the others wait. */
export function readyDirspaces(
  changed: readonly Dirspace[],
  edges: Edges,
  isDone: (key: DirspaceKey) => boolean,
): Dirspace[] {
  const changedKeys = new Set(changed.map(dirspaceKey));
  const ready = new Set<DirspaceKey>();
  const answers = new Map<ReadonlySet<DirspaceKey>, boolean>();
  const isLeft = (key: DirspaceKey): boolean => !ready.has(key) || (changedKeys.has(key) && !isDone(key));
  for (const key of inOrder(edges)) {
    const direct = edges.get(key) ?? NONE;
    let isReady = answers.get(direct);
    if (isReady === undefined) {
      isReady = ![...direct].some(isLeft);
      answers.set(direct, isReady);
    }
    if (isReady) ready.add(key);
  }
  return changed.filter((dirspace) => {
    const key = dirspaceKey(dirspace);
    return ready.has(key) || !edges.has(key);
  });
}

/** Each one after what it depends on. A set that several share is walked once. Throws `DependencyCycle`. */
function inOrder(edges: Edges): ReadonlySet<DirspaceKey> {
  const done = new Set<DirspaceKey>();
  const walked = new Set<ReadonlySet<DirspaceKey>>();
  const path = new Set<DirspaceKey>();
  const pending: { key: DirspaceKey; direct: ReadonlySet<DirspaceKey>; rest: Iterator<DirspaceKey> }[] = [];
  const enter = (key: DirspaceKey): void => {
    const direct = edges.get(key) ?? NONE;
    path.add(key);
    pending.push({ key, direct, rest: direct.values() });
  };
  for (const start of edges.keys()) {
    if (!done.has(start)) enter(start);
    for (let top = pending.at(-1); top; top = pending.at(-1)) {
      const next = walked.has(top.direct) ? undefined : top.rest.next();
      if (next === undefined || next.done) {
        walked.add(top.direct);
        done.add(top.key);
        path.delete(top.key);
        pending.pop();
      } else if (path.has(next.value)) {
        const keys = [...path];
        throw new DependencyCycle(keys.slice(keys.indexOf(next.value)).map(directoryOf));
      } else if (!done.has(next.value)) enter(next.value);
    }
  }
  return done;
}

function directoryOf(key: DirspaceKey): string {
  return (JSON.parse(key) as [string, string])[0];
}
