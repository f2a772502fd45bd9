import type { Described, ResourceDraft, Rule } from './resource-draft.js';

/** One component that only use decides: name, unit, usage key, how many of the key's pieces one unit counts. */
export type PerUse = readonly [name: string, unit: string, usage: string, perUnit?: number, more?: Described];

/** A rule of components that only use decides. */
export function onlyUse(...components: readonly PerUse[]): Rule {
  return (r) => describeUse(r, components);
}

export function describeUse(r: ResourceDraft, components: readonly PerUse[]): void {
  for (const [name, unit, usage, perUnit, more] of components)
    r.perUse(name, unit, r.usage(usage, perUnit), more);
}
