import { z } from 'zod';
import type { RepoConfig } from './config.schema.js';
import type { ChangedFile } from './patterns.rules.js';

const MAX_PATH = 4096;
const MAX_ENTRIES = 200_000;
const path = z.string().min(1).max(MAX_PATH);

const indexSchema = z.object({
  /** directory to the directories of the local modules that it calls */
  calls: z.record(path, z.array(path).max(MAX_ENTRIES)),
  /** path of a symbolic link to the path that it leads to, both within the repository */
  links: z.record(path, path),
});

/** What a run of type `index` found in a commit. */
export type RepositoryIndex = z.output<typeof indexSchema>;

/** Undefined for what is no index. */
export function parseRepositoryIndex(text: string): RepositoryIndex | undefined {
  try {
    const parsed = indexSchema.safeParse(JSON.parse(text));
    return parsed.success ? parsed.data : undefined;
  } catch {
    return undefined;
  }
}

/** Directories that are planned: what others call is a module, unless `dirs` names exactly it. */
export function rootsOf(
  directories: readonly string[],
  { calls }: RepositoryIndex,
  { dirs }: Pick<RepoConfig, 'dirs'>,
): string[] {
  const called = new Set(
    Object.entries(calls).flatMap(([dir, modules]) => modules.filter((module) => module !== dir)),
  );
  return directories.filter((dir) => !called.has(dir) || Object.hasOwn(dirs, dir));
}

/** Every directory that a directory uses, itself and modules of modules included. */
export function usedDirectories({ calls }: RepositoryIndex): (dir: string) => ReadonlySet<string> {
  const known = new Map<string, ReadonlySet<string>>();
  return (dir) => {
    const before = known.get(dir);
    if (before) return before;
    const found = new Set([dir]);
    for (const each of found)
      for (const module of Object.hasOwn(calls, each) ? (calls[each] ?? []) : []) found.add(module);
    known.set(dir, found);
    return found;
  };
}

/** A change of what a link leads to is one of the link, too. */
export function throughLinks(files: readonly ChangedFile[], { links }: RepositoryIndex): ChangedFile[] {
  const byTarget = Object.entries(links);
  const found = new Map(files.map((file) => [file.path, file]));
  const names = [...new Set(files.flatMap(({ path: name, previousPath }) => [name, previousPath ?? name]))];
  const seen = new Set(names);
  for (const name of names)
    for (const [link, target] of byTarget) {
      if (name !== target && !name.startsWith(`${target}/`)) continue;
      const alias = link + name.slice(target.length);
      // Links that lead in circles never end.
      if (seen.has(alias) || alias.length > MAX_PATH || names.length > MAX_ENTRIES) continue;
      seen.add(alias);
      names.push(alias);
      found.set(alias, { path: alias });
    }
  return [...found.values()];
}
