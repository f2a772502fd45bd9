const ROOT = 'root';

/** `module.a["x.y"].module.b` → `["module.a[\"x.y\"]", "module.b"]`; a dot inside of a key belongs to the key. */
export function modulePath(name: string): string[] {
  if (name === ROOT) return [];
  return name.match(/module\.[^.[]+(?:\[(?:"(?:[^"\\]|\\.)*"|[^\]]*)\])?/g) ?? [name];
}

export function moduleDepth(name: string): number {
  return modulePath(name).length;
}

/** Parents before their children, siblings by name; numbers in keys count as numbers. */
export function moduleOrder<T extends { name: string }>(modules: readonly T[]): T[] {
  const order = new Intl.Collator('en', { numeric: true });
  const paths = new Map(modules.map((module) => [module, modulePath(module.name)]));
  return [...modules].sort((a, b) => {
    const [left, right] = [paths.get(a) ?? [], paths.get(b) ?? []];
    for (let index = 0; index < Math.min(left.length, right.length); index += 1) {
      const difference = order.compare(left[index] ?? '', right[index] ?? '');
      if (difference !== 0) return difference;
    }
    return left.length - right.length;
  });
}

export interface ModuleRow<T> {
  module: T;
  depth: number;
  /** a module without child modules cannot be folded */
  hasChildren: boolean;
}

/** The rows of a tree in order, without what lies below a folded module. */
export function moduleRows<T extends { name: string }>(
  modules: readonly T[],
  folded: ReadonlySet<string>,
): ModuleRow<T>[] {
  const rows: ModuleRow<T>[] = [];
  let hiddenBelow: string | undefined;
  const ordered = moduleOrder(modules);
  for (const [index, module] of ordered.entries()) {
    if (hiddenBelow !== undefined && isBelow(module.name, hiddenBelow)) continue;
    hiddenBelow = folded.has(module.name) ? module.name : undefined;
    const next = ordered[index + 1];
    const hasChildren = next !== undefined && isBelow(next.name, module.name);
    rows.push({ module, depth: moduleDepth(module.name), hasChildren });
  }
  return rows;
}

function isBelow(name: string, parent: string): boolean {
  return name.startsWith(`${parent}.`);
}
