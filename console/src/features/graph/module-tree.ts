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
