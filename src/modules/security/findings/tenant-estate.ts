import { isDeepStrictEqual } from 'node:util';
import { type Attributes, UNKNOWN, valueAt } from '../engine/attribute-path.rules.js';
import type { LinkedLookup, LinkedResources, ScannedResource } from '../engine/condition-evaluation.rules.js';
import { namedIdsOf, ownIdsOf } from '../engine/linked-ids.rules.js';
import type { NetworkInstance } from '../reachability/reachability.js';

/** An instance of one of the types that checks and reachability rules look at in all states of a tenant. */
export interface EstateInstance extends NetworkInstance {
  readonly key: string;
}

/** A verdict as the table has it. */
export interface StoredVerdict {
  readonly reachable: boolean;
  readonly evidence: string | null;
  readonly ports: string | null;
}

/** What the rules said of a network, and the name of that in the database. */
export interface Judgement {
  readonly id: string;
  readonly verdicts: ReadonlyMap<string, StoredVerdict>;
}

export function refOf(stateId: string, key: string): string {
  return `${stateId} ${key}`;
}

export function placeOfRef(ref: string): { stateId: string; key: string } {
  const [stateId = '', key = ''] = ref.split(' ');
  return { stateId, key };
}

/** Which types matter to an estate: attributes that name others, by type, and types that are named. */
export interface EstateTypes {
  readonly links: ReadonlyMap<string, ReadonlySet<string>>;
  readonly subjects: ReadonlySet<string>;
  /** types that reachability rules judge */
  readonly network: ReadonlySet<string>;
}

/**
 * The instances of a tenant that checks and rules look for, over all its states: indexed by the ids that they have and
 * that they name. Kept in memory; the table `instances` is the truth.
 */
export class TenantEstate {
  readonly instances = new Map<string, EstateInstance>();
  /** the newest judgement of the network that this process made */
  judgement: Judgement | undefined;
  /** whether the network is another one than that of the judgement */
  isNetworkChanged = true;
  private readonly byState = new Map<string, Set<string>>();
  private readonly owners = new Map<string, Set<string>>();
  /** by `type via id`: who names the id there */
  private readonly namers = new Map<string, Set<string>>();
  /** by `type via`: who names somebody there in an unknown value */
  private readonly unknownNamers = new Map<string, Set<string>>();

  constructor(private readonly types: EstateTypes) {}

  set(instance: EstateInstance): void {
    const known = this.instances.get(instance.ref);
    if (this.types.network.has(instance.type) && !isSame(known, instance)) this.isNetworkChanged = true;
    this.forget(instance.ref);
    this.instances.set(instance.ref, instance);
    add(this.byState, instance.stateId, instance.ref);
    this.index(instance, add);
  }

  delete(ref: string): void {
    if (this.types.network.has(this.instances.get(ref)?.type ?? '')) this.isNetworkChanged = true;
    this.forget(ref);
  }

  private forget(ref: string): void {
    const instance = this.instances.get(ref);
    if (instance === undefined) return;
    this.instances.delete(ref);
    remove(this.byState, instance.stateId, ref);
    this.index(instance, remove);
  }

  deleteState(stateId: string): void {
    for (const ref of this.byState.get(stateId) ?? []) this.delete(ref);
  }

  ofState(stateId: string): EstateInstance[] {
    return [...(this.byState.get(stateId) ?? [])].flatMap((ref) => this.instances.get(ref) ?? []);
  }

  /** Instances with one of the ids. */
  ownersOf(ids: Iterable<string>): EstateInstance[] {
    return this.found(this.owners, ids);
  }

  /** Instances whose checks look others up. */
  subjects(): EstateInstance[] {
    return this.found(this.owners, this.owners.keys());
  }

  /** What of the tenant names an instance, for `linked` conditions. */
  readonly lookup: LinkedLookup = (subject, types, via) => this.linked(subject, types, via);

  private linked(subject: ScannedResource, types: readonly string[], via: string): LinkedResources {
    const ids = ownIdsOf(subject.attributes);
    const found = types.flatMap((type) =>
      this.found(
        this.namers,
        ids.map((id) => namerKey(type, via, id)),
      ),
    );
    return {
      found,
      incomplete: types.some((type) => (this.unknownNamers.get(`${type} ${via}`)?.size ?? 0) > 0),
    };
  }

  private found(index: ReadonlyMap<string, ReadonlySet<string>>, keys: Iterable<string>): EstateInstance[] {
    const refs = new Set<string>();
    for (const key of keys) for (const ref of index.get(key) ?? []) refs.add(ref);
    return [...refs].flatMap((ref) => this.instances.get(ref) ?? []);
  }

  private index(instance: EstateInstance, change: typeof add): void {
    const { type, attributes, ref } = instance;
    if (this.types.subjects.has(type)) for (const id of ownIdsOf(attributes)) change(this.owners, id, ref);
    for (const via of this.types.links.get(type) ?? []) {
      if (valueAt(attributes, via) === UNKNOWN) change(this.unknownNamers, `${type} ${via}`, ref);
      for (const id of namedIdsOf(attributes, via)) change(this.namers, namerKey(type, via, id), ref);
    }
  }
}

/** Whether a resource names others in values that nobody knows: any subject may be meant. */
export function namesUnknown(type: string, attributes: Attributes, links: EstateTypes['links']): boolean {
  return [...(links.get(type) ?? [])].some((via) => valueAt(attributes, via) === UNKNOWN);
}

/** Ids that a resource names in the attributes through which checks look for it. */
export function idsNamedBy(type: string, attributes: Attributes, links: EstateTypes['links']): string[] {
  return [...(links.get(type) ?? [])].flatMap((via) => namedIdsOf(attributes, via));
}

/** Whether reachability rules cannot tell the two apart. */
function isSame(known: EstateInstance | undefined, instance: EstateInstance): boolean {
  return (
    known?.type === instance.type &&
    known.address === instance.address &&
    isDeepStrictEqual(known.attributes, instance.attributes)
  );
}

function namerKey(type: string, via: string, id: string): string {
  return `${type} ${via} ${id}`;
}

function add(index: Map<string, Set<string>>, key: string, ref: string): void {
  const known = index.get(key);
  if (known === undefined) index.set(key, new Set([ref]));
  else known.add(ref);
}

function remove(index: Map<string, Set<string>>, key: string, ref: string): void {
  const known = index.get(key);
  if (known === undefined) return;
  known.delete(ref);
  if (known.size === 0) index.delete(key);
}
