import type { RepoConfig } from './config.schema.js';
import { CONFIG_FILE, InvalidRepoConfig } from './repo-config.errors.js';
import { keyName, lineOf, readYaml } from './yaml-text.rules.js';

interface Source {
  text: string;
  file: string;
}
/** What stands below `dirs` is known by its object: an effective configuration takes it over as it is. */
const SOURCES = new WeakMap<RepoConfig['dirs'], Source>();

export function rememberSource({ dirs }: RepoConfig, source: Source): void {
  SOURCES.set(dirs, source);
}

/** File, line and key of a place in `dirs`, for mistakes that show only with the directories of the repository. */
export function placeIn(
  dirs: RepoConfig['dirs'],
  path: readonly PropertyKey[],
): { file: string; line: number; key: string } {
  const source = SOURCES.get(dirs);
  const key = keyName(path);
  if (!source) return { file: CONFIG_FILE, line: 1, key };
  const { parsing } = readYaml(source.text, source.file);
  return { file: source.file, line: lineOf(parsing, path), key };
}

export function mistakeIn(
  dirs: RepoConfig['dirs'],
  path: readonly PropertyKey[],
  message: string,
): InvalidRepoConfig {
  return new InvalidRepoConfig([{ ...placeIn(dirs, path), message }]);
}
