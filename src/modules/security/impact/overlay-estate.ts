import type { LinkedLookup } from '../engine/condition-evaluation.rules.js';
import { type EstateInstance, type EstateTypes, TenantEstate } from '../findings/tenant-estate.js';

/** A tenant's estate with what a plan changes put over it; the estate itself stays as it is. */
export class OverlayEstate {
  private readonly added: TenantEstate;

  constructor(
    private readonly estate: TenantEstate,
    private readonly removed: ReadonlySet<string>,
    planned: readonly EstateInstance[],
    types: EstateTypes,
  ) {
    this.added = new TenantEstate(types);
    for (const instance of planned) this.added.set(instance);
  }

  get instances(): EstateInstance[] {
    const kept = [...this.estate.instances.values()].filter(({ ref }) => !this.removed.has(ref));
    return [...kept, ...this.added.instances.values()];
  }

  readonly lookup: LinkedLookup = (subject, types, via) => {
    const before = this.estate.lookup(subject, types, via);
    const after = this.added.lookup(subject, types, via);
    const kept = [...before.found].filter((other) => !this.removed.has((other as EstateInstance).ref));
    return { found: [...kept, ...after.found], incomplete: before.incomplete || after.incomplete };
  };
}
