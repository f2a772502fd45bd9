import { keyOf, withoutKeys } from '../../documents/index.js';
import { cloudOfType, normalRegion } from '../../pricing/index.js';
import type { InstanceRow } from '../instances/priced-item.js';

/** What a plan does to one managed instance or deposed object. */
export interface PlannedChange {
  /** of the instance before and after; they differ by a move */
  readonly before: string;
  readonly key: string;
  readonly address: string;
  readonly deposed: string | null;
  /** as it will be; undefined when it goes */
  readonly after: InstanceRow | undefined;
}

interface ResourceChange {
  address?: unknown;
  previous_address?: unknown;
  mode?: unknown;
  type?: unknown;
  provider_name?: unknown;
  deposed?: unknown;
  change?: { actions?: unknown; after?: unknown; after_unknown?: unknown };
}

/** Reads `resource_changes` of a stored plan, as far as they change anything. Total on any JSON. */
export function plannedChanges(planJson: unknown): PlannedChange[] {
  const places = new Places(member(planJson, 'configuration'));
  const changes = member(planJson, 'resource_changes');
  const list = Array.isArray(changes) ? (changes as unknown[]).filter(isObject) : [];
  const planned = new Map<string, PlannedChange>();
  for (const change of list as ResourceChange[]) {
    const { address, type, previous_address: previous } = change;
    if (typeof address !== 'string' || typeof type !== 'string' || change.mode === 'data') continue;
    const actions = Array.isArray(change.change?.actions) ? (change.change.actions as unknown[]) : [];
    const does = (action: string): boolean => actions.includes(action);
    const isMoved = typeof previous === 'string' && previous !== address;
    if (!isMoved && !['create', 'update', 'delete', 'forget'].some(does)) continue;
    const deposed = typeof change.deposed === 'string' ? change.deposed : null;
    const goes = does('forget') || (does('delete') && !does('create'));
    const key = keyOf(address, deposed ?? undefined);
    planned.set(key, {
      before: isMoved && deposed === null ? keyOf(previous) : key,
      key,
      address,
      deposed,
      after: goes || deposed !== null ? undefined : rowOf(change, { key, address, type, places }),
    });
  }
  return [...planned.values()];
}

function rowOf(
  { change, provider_name: provider }: ResourceChange,
  of: { key: string; address: string; type: string; places: Places },
): InstanceRow {
  const plannedRegion = of.places.regionOf(of.type, of.address);
  return {
    key: of.key,
    address: of.address,
    deposed: null,
    type: of.type,
    provider: typeof provider === 'string' ? provider : (of.type.split('_')[0] ?? ''),
    attributes: isObject(change?.after) ? change.after : {},
    unknown: change?.after_unknown,
    ...(plannedRegion === undefined ? {} : { plannedRegion }),
  };
}

/** Regions of the provider configurations that resources use. */
class Places {
  constructor(private readonly configuration: unknown) {}

  regionOf(type: string, address: string): string | undefined {
    const cloud = cloudOfType(type);
    const key = member(member(this.configuration, 'provider_config_keys'), withoutKeys(address));
    if (cloud === undefined || typeof key !== 'string') return undefined;
    const expressions = member(member(member(this.configuration, 'provider_config'), key), 'expressions');
    for (const name of ['region', 'zone', 'location']) {
      const place = member(member(expressions, name), 'constant_value');
      const region = typeof place === 'string' ? normalRegion(cloud, place) : undefined;
      if (region !== undefined) return region;
    }
    return undefined;
  }
}

function member(value: unknown, name: string): unknown {
  return isObject(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
