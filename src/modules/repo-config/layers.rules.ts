import { directoryMatcher, parseTagQuery } from '../tag-query/index.js';
import { type Dirspace, taggedDirectory } from './directories.rules.js';
import { mistakeIn, placeIn } from './config-source.js';
import type { RepoConfig } from './config.schema.js';
import { CONFIG_FILE, InvalidRepoConfig } from './repo-config.errors.js';
import { MAX_TYPING_DISTANCE, nearMiss } from './typing-distance.rules.js';

/** Directories depend on each other in a circle. */
export class DependencyCycle extends Error {
  constructor(
    readonly directories: readonly string[],
    /** file, line and key, with what separates them from the message */
    at = '',
  ) {
    super(`${at}depends_on has a cycle: ${[...directories, directories[0]].join(' -> ')}`);
  }
}

export type DirspaceKey = string;
export const dirspaceKey = ({ dir, workspace }: Pick<Dirspace, 'dir' | 'workspace'>): DirspaceKey =>
  JSON.stringify([dir, workspace]);

/** Dependencies of all directories of a repository; lists that say the same count once. */
const MAX_DEPENDENCIES = 1_000_000;
const TOO_MANY = `must not name more than ${MAX_DEPENDENCIES} dependencies in all`;
/** A directory or a tag, and no query of several terms. */
const PLAIN_NAME = /^[\w./-]+$/;
/** Names without a match that are compared with all others. */
const MAX_SLIPS = 50;
const NONE: ReadonlySet<DirspaceKey> = new Set();

/**
 * What each dirspace depends on among the given ones: an entry of `depends_on` names a directory, or else is a tag query.
 * A dirspace never depends on its own directory. Throws `DependencyCycle`, and `InvalidRepoConfig` for what is no query.
 * With the `dirs` that they are from, which say where mistakes stand, it is a mistake, too, when a name matches nothing
 * and differs from that of a directory or tag by a slip: without an error it would silently be no dependency.
 */
export function dependenciesOf(
  dirspaces: readonly Dirspace[],
  dirs?: RepoConfig['dirs'],
): Map<DirspaceKey, ReadonlySet<DirspaceKey>> {
  const lists = new DependencyLists(dirspaces, dirs);
  const edges = new Map(dirspaces.map((dirspace) => [dirspaceKey(dirspace), lists.of(dirspace)]));
  try {
    inOrder(edges);
  } catch (error) {
    if (!(error instanceof DependencyCycle) || !dirs) throw error;
    const first = dirspaces.find(({ dir }) => dir === error.directories[0]);
    const { file, line, key } = placeIn(dirs, pathOf(dirs, first?.dependsOn ?? []));
    throw new DependencyCycle(error.directories, `${file}:${line}: ${key}: `);
  }
  return edges;
}

/** Entries of `depends_on` that match no directory, each once. */
export function unmatchedDependencies(dirspaces: readonly Dirspace[]): string[] {
  const lists = new DependencyLists(dirspaces);
  for (const dirspace of dirspaces) lists.of(dirspace);
  return lists.unmatched();
}

/** The key of `dirs` that a list of `depends_on` stands below. */
function pathOf(dirs: RepoConfig['dirs'], dependsOn: readonly string[]): PropertyKey[] {
  const [key] = Object.entries(dirs).find(([, { depends_on }]) => depends_on === dependsOn) ?? [];
  return key === undefined ? ['dirs'] : ['dirs', key, 'depends_on'];
}

/** Thousands of directories may depend on thousands: those with the same list share one set. */
class DependencyLists {
  private readonly byDirectory = new Map<string, Dirspace[]>();
  private readonly queries = new Map<string, Dirspace[]>();
  private readonly lists = new Map<string, { list: Dirspace[]; directories: ReadonlySet<string> }>();
  private readonly sets = new Map<string, ReadonlySet<DirspaceKey>>();
  private left = MAX_DEPENDENCIES;

  private slips = MAX_SLIPS;

  constructor(
    private readonly dirspaces: readonly Dirspace[],
    private readonly dirs?: RepoConfig['dirs'],
  ) {
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
    this.left -= others.length;
    if (this.left < 0) throw this.mistake(dependsOn, undefined, TOO_MANY);
    const made = new Set(others.map(dirspaceKey));
    this.sets.set(key, made);
    return made;
  }

  private listOf(
    name: string,
    dependsOn: readonly string[],
  ): { list: Dirspace[]; directories: ReadonlySet<string> } {
    const found = new Set<Dirspace>();
    for (const [index, entry] of dependsOn.entries()) {
      const refuse = (message: string): InvalidRepoConfig => this.mistake(dependsOn, index, message);
      const matching = this.matching(entry, refuse);
      this.left -= matching.length;
      if (this.left < 0) throw refuse(TOO_MANY);
      for (const dirspace of matching) found.add(dirspace);
    }
    const made = { list: [...found], directories: new Set([...found].map(({ dir }) => dir)) };
    this.lists.set(name, made);
    return made;
  }

  /** Tag queries without a match; a directory that is named is there. */
  unmatched(): string[] {
    return [...this.queries].filter(([, found]) => found.length === 0).map(([entry]) => entry);
  }

  private matching(entry: string, refuse: (message: string) => InvalidRepoConfig): Dirspace[] {
    const known = this.byDirectory.get(entry) ?? this.queries.get(entry);
    if (known) return known;
    const matches = directoryMatcher(queryOf(entry, refuse));
    const found = this.dirspaces.filter((dirspace) => matches(taggedDirectory(dirspace)));
    if (found.length === 0) this.requireNoSlip(entry, refuse);
    this.queries.set(entry, found);
    return found;
  }

  /** A directory that the configuration names itself may be switched off. */
  private requireNoSlip(entry: string, refuse: (message: string) => InvalidRepoConfig): void {
    if (!this.dirs || Object.hasOwn(this.dirs, entry) || !PLAIN_NAME.test(entry) || this.slips === 0) return;
    this.slips -= 1;
    const names = new Set(this.dirspaces.flatMap(({ dir, tags }) => [dir, ...tags]));
    const meant = nearMiss(entry, names, Math.min(MAX_TYPING_DISTANCE, Math.floor(entry.length / 3)));
    if (meant !== undefined)
      throw refuse(`${JSON.stringify(entry)} matches no directory and no tag; did you mean ${meant}?`);
  }

  private mistake(
    dependsOn: readonly string[],
    index: number | undefined,
    message: string,
  ): InvalidRepoConfig {
    if (!this.dirs)
      return new InvalidRepoConfig([{ file: CONFIG_FILE, line: 1, key: 'depends_on', message }]);
    return mistakeIn(
      this.dirs,
      [...pathOf(this.dirs, dependsOn), ...(index === undefined ? [] : [index])],
      message,
    );
  }
}

function queryOf(
  entry: string,
  refuse: (message: string) => InvalidRepoConfig,
): ReturnType<typeof parseTagQuery> {
  try {
    return parseTagQuery(entry);
  } catch (error) {
    const reason = error instanceof Error ? error.message : '';
    throw refuse(`${JSON.stringify(entry)} is neither a directory nor a tag query: ${reason}`);
  }
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
