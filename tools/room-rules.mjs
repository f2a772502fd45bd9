// A module is flat up to a size, then has rooms: folders that tools/tiers.mjs lists, in an order that dependency-cruiser holds.
import { ROOMS } from './tiers.mjs';

const MAX_FLAT_FILES = 30;
const EVERYWHERE = ['dto', 'entities'];
const PLACE = /^src\/modules\/([^/]+)\/(?:([^/]+)\/)?/;

/** @param paths of the sources, relative to the root */
export function roomProblems(paths) {
  const problems = new Set();
  const flat = new Map();
  for (const [, module, room] of paths.map((path) => PLACE.exec(path)).filter(Boolean)) {
    if (room === undefined) flat.set(module, (flat.get(module) ?? 0) + 1);
    else if (![...EVERYWHERE, ...(ROOMS[module] ?? [])].includes(room))
      problems.add(`src/modules/${module}/${room} has no place in the order of rooms: see tools/tiers.mjs`);
  }
  for (const [module, count] of flat)
    if (count > MAX_FLAT_FILES)
      problems.add(
        `src/modules/${module} has ${count} files outside of rooms, ${MAX_FLAT_FILES} are allowed: group them`,
      );
  return [...problems];
}
