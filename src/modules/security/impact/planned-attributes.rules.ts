import { type Attributes, type Json, UNKNOWN } from '../engine/attribute-path.rules.js';
import { isRecord } from '../../../platform/json/is-record.js';

/** A managed instance that a plan leaves behind. */
export interface PlannedInstance {
  readonly address: string;
  readonly type: string;
  readonly attributes: Attributes;
  /** where the instance stands now, when the plan moves it */
  readonly previousAddress?: string;
}

/** What a plan makes of a state: addresses whose instances go or are replaced, and instances as they will be. */
export interface PlannedState {
  readonly touched: readonly string[];
  readonly instances: readonly PlannedInstance[];
}

interface ResourceChange {
  address?: unknown;
  previous_address?: unknown;
  mode?: unknown;
  type?: unknown;
  deposed?: unknown;
  change?: { actions?: unknown; after?: unknown; after_unknown?: unknown };
}

/** Reads `resource_changes` of a stored plan; values it does not know yet are UNKNOWN. Total on any JSON. */
export function plannedStateOf(planJson: unknown): PlannedState {
  const touched = new Set<string>();
  const instances: PlannedInstance[] = [];
  for (const change of changesOf(planJson)) {
    const { address, previous_address: previous, type } = change;
    if (typeof address !== 'string' || typeof type !== 'string' || !isCurrentManaged(change)) continue;
    const actions = actionsOf(change);
    const isMoved = typeof previous === 'string' && previous !== address;
    const does = (action: string): boolean => actions.includes(action);
    if (!isMoved && !['create', 'update', 'delete', 'forget'].some(does)) continue;
    touched.add(address);
    if (isMoved) touched.add(previous);
    const goes = does('forget') || (does('delete') && !does('create'));
    if (goes) continue;
    instances.push({
      address,
      type,
      attributes: attributesOf(change.change?.after, change.change?.after_unknown),
      ...(isMoved ? { previousAddress: previous } : {}),
    });
  }
  return { touched: [...touched], instances };
}

function actionsOf({ change }: ResourceChange): unknown[] {
  return Array.isArray(change?.actions) ? (change.actions as unknown[]) : [];
}

function isCurrentManaged({ mode, deposed }: ResourceChange): boolean {
  return mode !== 'data' && typeof deposed !== 'string';
}

function changesOf(planJson: unknown): ResourceChange[] {
  const changes = isRecord(planJson) ? planJson['resource_changes'] : undefined;
  return Array.isArray(changes) ? changes.filter(isRecord) : [];
}

function attributesOf(after: unknown, unknown: unknown): Attributes {
  const merged = withUnknown(after, unknown);
  return isRecord(merged) ? merged : {};
}

/** `unknown` is true for all of a value, or has the value's shape with true at the places that are. */
function withUnknown(value: unknown, unknown: unknown): Json {
  if (unknown === true) return UNKNOWN;
  if (Array.isArray(unknown)) {
    const items: unknown[] = Array.isArray(value) ? value : [];
    return Array.from({ length: Math.max(items.length, unknown.length) }, (_, index) =>
      withUnknown(items[index], (unknown as unknown[])[index]),
    );
  }
  if (isRecord(unknown)) {
    const known = isRecord(value) ? value : {};
    const names = new Set([
      ...Object.keys(known),
      ...Object.keys(unknown).filter((name) => hasUnknown(unknown[name])),
    ]);
    if (names.size === 0) return (value ?? null) as Json;
    return Object.fromEntries(
      [...names].map((name) => [name, withUnknown(own(known, name), own(unknown, name))]),
    );
  }
  return (value ?? null) as Json;
}

function hasUnknown(value: unknown): boolean {
  if (value === true) return true;
  if (Array.isArray(value)) return value.some(hasUnknown);
  return isRecord(value) && Object.values(value).some(hasUnknown);
}

function own(object: Record<string, unknown>, name: string): unknown {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}
