import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Attributes } from '../engine/attribute-path.rules.js';
import type { Check } from '../engine/check.js';
import { CheckRegistry } from '../engine/check-registry.js';
import { readsOf } from '../engine/condition-evaluation.rules.js';
import { OWN_IDS } from '../engine/linked-ids.rules.js';
import { NETWORK_ATTRIBUTES } from '../reachability/network-attributes.js';
import { REACHABILITY } from '../reachability/reachability-rules.js';
import { CustomChecks } from './custom-checks.store.js';

const MAX_CACHED_SETS = 500;
const NETWORK_TYPES = new Set(REACHABILITY.flatMap(({ types }) => types));
const NOTHING: ReadonlySet<string> = new Set();

/** The checks that apply in a tenant, by resource type, and which types they read beyond the instance itself. */
export class CheckSet {
  readonly byType = new Map<string, Check[]>();
  readonly byId = new Map<string, Check>();
  /** attributes `via` by the type of the resource that names another */
  readonly links = new Map<string, Set<string>>();
  /** types whose checks look for other resources */
  readonly subjects = new Set<string>();
  /** types that are needed of all states of the tenant */
  readonly estateTypes: ReadonlySet<string>;
  /** types that reachability rules judge */
  readonly network: ReadonlySet<string> = NETWORK_TYPES;
  /** by type, the attributes that lookups and reachability rules read */
  private readonly kept = new Map<string, Set<string>>();

  constructor(
    readonly checks: readonly Check[],
    /** changes with what the checks say */
    readonly version: string,
  ) {
    for (const check of checks) {
      this.byId.set(check.id, check);
      for (const type of check.types) this.byType.set(type, [...(this.byType.get(type) ?? []), check]);
      for (const condition of [check.fail, ...(check.when === undefined ? [] : [check.when])])
        for (const { type, via, attributes } of readsOf(condition).links) {
          this.links.set(type, (this.links.get(type) ?? new Set()).add(via));
          this.keep(type, [via, ...attributes]);
          for (const subject of check.types) {
            this.subjects.add(subject);
            this.keep(subject, []);
          }
        }
    }
    this.estateTypes = new Set([...this.links.keys(), ...this.subjects, ...NETWORK_TYPES]);
  }

  /** What of an instance's attributes the tenant's estate has to remember. */
  estateAttributes(type: string, attributes: Attributes): Attributes {
    const kept = this.kept.get(type) ?? (NETWORK_TYPES.has(type) ? NETWORK_ATTRIBUTES : NOTHING);
    return Object.fromEntries(Object.entries(attributes).filter(([name]) => kept.has(name)));
  }

  private keep(type: string, paths: readonly string[]): void {
    const names =
      this.kept.get(type) ??
      new Set<string>([...OWN_IDS, ...(NETWORK_TYPES.has(type) ? NETWORK_ATTRIBUTES : [])]);
    for (const path of paths) names.add(path.split('.')[0] ?? '');
    this.kept.set(type, names);
  }
}

/** Built-in checks and those of tenants. Loaded when first asked for: an API process may never need them. */
@Injectable()
export class CheckSets {
  private loaded: CheckRegistry | undefined;
  private readonly sets = new Map<string, CheckSet>();

  constructor(private readonly custom: CustomChecks) {}

  get registry(): CheckRegistry {
    return (this.loaded ??= new CheckRegistry());
  }

  async ofTenant(tenantId: string): Promise<CheckSet> {
    const custom = await this.custom.list(tenantId);
    const { registry } = this;
    if (custom.length === 0)
      return this.cached(registry.version, () => new CheckSet(registry.checks, registry.version));
    const texts = custom.map((check) => JSON.stringify(check)).sort();
    const version = `${registry.version}-${createHash('sha256').update(texts.join('\n')).digest('hex').slice(0, 12)}`;
    return this.cached(version, () => new CheckSet([...registry.checks, ...custom], version));
  }

  private cached(version: string, make: () => CheckSet): CheckSet {
    let set = this.sets.get(version);
    if (set === undefined) {
      if (this.sets.size >= MAX_CACHED_SETS) this.sets.clear();
      this.sets.set(version, (set = make()));
    }
    return set;
  }
}
