// Swagger keys schemas by class name: of two classes with one name, one silently replaces the other.
import { readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';

/** Lines that name each class of a request or an answer whose name another class has as well. */
export function repeatedSchemaNames(dist) {
  const require = createRequire(import.meta.url);
  const seen = new Map();
  for (const entry of readdirSync(dist, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile() || !entry.name.endsWith('.dto.js')) continue;
    const file = join(entry.parentPath, entry.name);
    for (const exported of Object.values(require(file))) {
      if (typeof exported !== 'function' || exported.prototype === undefined) continue;
      const found = seen.get(exported.name) ?? new Map();
      // An import that is exported again is the same class.
      if (!found.has(exported)) found.set(exported, file.slice(dist.length + 1));
      seen.set(exported.name, found);
    }
  }
  return [...seen]
    .filter(([, classes]) => classes.size > 1)
    .map(([name, classes]) => `two classes are named ${name}: ${[...classes.values()].join(', ')}`);
}
