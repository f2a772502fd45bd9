import { copyFileSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { isRunsOwn } from './link-home.js';

/** Plain files of a run's directory, relative to it; links into the user's directory are none. */
export function plainFiles(root: string, directory = ''): Set<string> {
  const found = new Set<string>();
  for (const entry of readdirSync(join(root, directory), { withFileTypes: true })) {
    if (isRunsOwn(entry.name)) continue;
    const path = directory === '' ? entry.name : `${directory}/${entry.name}`;
    if (entry.isFile()) found.add(path);
    else if (entry.isDirectory()) for (const inside of plainFiles(root, path)) found.add(inside);
  }
  return found;
}

/** Files that providers made while they applied belong to the user's directory, where they would have made them. */
export function bringHome(root: string, home: string, before: ReadonlySet<string>): void {
  for (const path of plainFiles(root)) {
    if (before.has(path) || existsSync(join(home, path))) continue;
    mkdirSync(dirname(join(home, path)), { recursive: true });
    copyFileSync(join(root, path), join(home, path));
  }
}
