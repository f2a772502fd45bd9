import { type Dirent, readdirSync, readlinkSync, realpathSync } from 'node:fs';
import { dirname, join, posix, relative, resolve, sep } from 'node:path';
import { readModuleDirectory } from '../configuration/module-directory.js';

const CONFIGURATION_FILE = /\.(?:tf|tofu)(?:\.json)?$/;
const SKIPPED = new Set(['.git', '.terraform']);

/** What the service has to know of a checkout that its tree does not say. Paths are relative, with slashes. */
export interface RepositoryIndex {
  /** directory to the directories of the local modules that it calls */
  calls: Record<string, string[]>;
  /** path of a symbolic link to the path that it leads to, both within the repository */
  links: Record<string, string>;
}

/** Reads every directory with configuration files. What cannot be parsed calls nothing; its plan says why. */
export function indexRepository(root: string): RepositoryIndex {
  const index: RepositoryIndex = { calls: {}, links: {} };
  const top = realpathSync(root);
  const walk = (directory: string): void => {
    const entries = readdirSync(join(top, directory), { withFileTypes: true });
    for (const entry of entries) {
      const path = posix.join(directory, entry.name);
      if (entry.isSymbolicLink()) {
        const target = targetOf(top, path);
        if (target !== undefined) index.links[path] = target;
      } else if (entry.isDirectory() && !SKIPPED.has(entry.name)) walk(path);
    }
    if (entries.some(isConfiguration)) index.calls[directory || '.'] = callsOf(top, directory);
  };
  walk('');
  return index;
}

function isConfiguration(entry: Dirent): boolean {
  return !entry.isDirectory() && CONFIGURATION_FILE.test(entry.name);
}

/** Undefined for a link that leads out of the repository, or nowhere. */
function targetOf(top: string, path: string): string | undefined {
  const target = resolve(dirname(join(top, path)), readlinkSync(join(top, path)));
  const inside = relative(top, target);
  if (inside === '' || inside === '..' || inside.startsWith(`..${sep}`)) return undefined;
  return inside.split(sep).join('/');
}

function callsOf(top: string, directory: string): string[] {
  let blocks;
  try {
    ({ blocks } = readModuleDirectory(top, directory, { asTofu: true }));
  } catch {
    return [];
  }
  const found = new Set<string>();
  for (const { kind, body } of blocks) {
    if (kind !== 'module' || typeof body !== 'object' || body === null || Array.isArray(body)) continue;
    const { source } = body as { source?: unknown };
    if (typeof source !== 'string' || !/^\.{1,2}(?:\/|$)/.test(source)) continue;
    const module = posix.normalize(posix.join(directory || '.', source)).replace(/\/$/, '');
    if (module !== '..' && !module.startsWith('../')) found.add(module);
  }
  return [...found].toSorted();
}
