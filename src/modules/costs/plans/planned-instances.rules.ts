import { keyOf, withoutKeys } from '../../documents/index.js';
import { cloudOfType, normalRegion } from '../../pricing/index.js';
import type { InstanceRow } from '../instances/priced-item.js';
import { isRecord } from '../../../platform/json/is-record.js';

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

/** Actions after which something costs otherwise, or is not managed any more. */
const CHANGING_ACTIONS = ['create', 'update', 'delete', 'forget'];

/** Reads `resource_changes` of a stored plan, as far as they change anything. Total on any JSON. */
export function plannedChanges(planJson: unknown): PlannedChange[] {
  const places = new Places(member(planJson, 'configuration'));
  const changes = member(planJson, 'resource_changes');
  const list = Array.isArray(changes) ? (changes as unknown[]).filter(isRecord) : [];
  const planned = new Map<string, PlannedChange>();
  for (const change of list as ResourceChange[]) {
    const found = plannedChange(change, places);
    if (found) planned.set(found.key, found);
  }
  return [...planned.values()];
}

/** Undefined for what changes nothing, and for what is not managed. */
function plannedChange(change: ResourceChange, places: Places): PlannedChange | undefined {
  const { address, type, mode } = change;
  if (typeof address !== 'string' || typeof type !== 'string' || mode === 'data') return undefined;
  const actions = actionsOf(change);
  const previous = movedFrom(change);
  if (previous === undefined && !CHANGING_ACTIONS.some((action) => actions.includes(action)))
    return undefined;
  const deposed = typeof change.deposed === 'string' ? change.deposed : null;
  const key = keyOf(address, deposed ?? undefined);
  const stays = deposed === null && !isEnding(actions);
  return {
    before: previous !== undefined && deposed === null ? keyOf(previous) : key,
    key,
    address,
    deposed,
    after: stays ? rowOf(change, { key, address, type, places }) : undefined,
  };
}

function actionsOf({ change }: ResourceChange): readonly unknown[] {
  return Array.isArray(change?.actions) ? (change.actions as unknown[]) : [];
}

/** The address before a move; undefined for what stays where it is. */
function movedFrom({ address, previous_address: previous }: ResourceChange): string | undefined {
  return typeof previous === 'string' && previous !== address ? previous : undefined;
}

/** Whether no managed instance is left at the address. A replacement is deleted and created. */
function isEnding(actions: readonly unknown[]): boolean {
  return actions.includes('forget') || (actions.includes('delete') && !actions.includes('create'));
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
    attributes: isRecord(change?.after) ? change.after : {},
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
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
