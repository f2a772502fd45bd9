import { z } from 'zod';
import { SENSITIVE } from '../documents/index.js';
import type { PlanOperationView } from '../transactions/index.js';
import { planRegions } from './plan-regions.rules.js';
import { isRecord } from '../../platform/json/is-record.js';

const ACTIONS = z.array(z.string());
const CHANGE = z.looseObject({
  actions: ACTIONS,
  before: z.unknown().optional(),
  after: z.unknown().optional(),
  before_sensitive: z.unknown().optional(),
  after_sensitive: z.unknown().optional(),
});
const RESOURCE_CHANGE = z.looseObject({
  address: z.string().min(1),
  previous_address: z.string().optional(),
  mode: z.string().optional(),
  deposed: z.string().optional(),
  change: CHANGE,
});
const PLAN = z.looseObject({
  format_version: z.string().optional(),
  terraform_version: z.string().optional(),
  resource_changes: z.array(RESOURCE_CHANGE).nullish(),
  resource_drift: z.array(RESOURCE_CHANGE).nullish(),
  output_changes: z.record(z.string(), CHANGE).nullish(),
});

type ResourceChange = z.infer<typeof RESOURCE_CHANGE>;
type Change = z.infer<typeof CHANGE>;

/** What a plan is going to do to one instance or deposed object. */
export interface PlannedOperation {
  address: string;
  deposed: string | undefined;
  operation: PlanOperationView['operation'];
}

/** A plan as it is kept: what it does, what it will write, and its JSON without sensitive values. */
export interface StoredPlan {
  operations: PlannedOperation[];
  /** instances that will be different afterwards, also by a move or by being forgotten */
  writes: { address: string; deposed: string | undefined }[];
  /** root outputs that will be different */
  outputs: string[];
  masked: Record<string, unknown>;
}

/** Reads the JSON of `terraform show -json`, or says what is wrong with it; its values are never quoted. */
export function readPlan(json: unknown): StoredPlan | string {
  const parsed = PLAN.safeParse(json);
  if (!parsed.success) {
    const path = parsed.error.issues[0]?.path.join('.') ?? '';
    return path === ''
      ? 'plan_json is not the JSON of a plan'
      : `plan_json.${path.slice(0, 100)} is missing or malformed`;
  }
  const plan = parsed.data;
  const changes = (plan.resource_changes ?? []).filter((change) => change.mode !== 'data');
  const regions = planRegions(plan);
  return {
    operations: changes.flatMap((change) => {
      const operation = operationOf(change.change.actions);
      return operation === undefined ? [] : { address: change.address, deposed: change.deposed, operation };
    }),
    writes: changes
      .filter(isWrite)
      .flatMap(({ address, previous_address: previous, deposed }) => [
        { address, deposed },
        ...(previous === undefined ? [] : [{ address: previous, deposed: undefined }]),
      ]),
    outputs: Object.entries(plan.output_changes ?? {})
      .filter(([, { actions }]) => actions.some((action) => action !== 'no-op'))
      .map(([name]) => name),
    masked: {
      format_version: plan.format_version,
      terraform_version: plan.terraform_version,
      resource_changes: (plan.resource_changes ?? []).map(maskedResource),
      resource_drift: (plan.resource_drift ?? []).map(maskedResource),
      ...(regions === undefined ? {} : { configuration: regions }),
      output_changes: Object.fromEntries(
        Object.entries(plan.output_changes ?? {}).map(([name, change]) => [name, maskedChange(change)]),
      ),
    },
  };
}

/** Terraform documentation, "JSON Output Format", change representation. */
function operationOf(actions: readonly string[]): PlanOperationView['operation'] | undefined {
  const does = (action: string) => actions.includes(action);
  if (does('create')) return does('delete') ? 'replace' : 'create';
  if (does('delete')) return 'destroy';
  return does('update') ? 'update' : undefined;
}

function isWrite({ change, previous_address: previous }: ResourceChange): boolean {
  const isMoved = previous !== undefined;
  return isMoved || change.actions.some((action) => action !== 'no-op' && action !== 'read');
}

function maskedResource(change: ResourceChange): Record<string, unknown> {
  return { ...change, change: maskedChange(change.change) };
}

function maskedChange(change: Change): Record<string, unknown> {
  return {
    ...change,
    before: masked(change.before, change.before_sensitive),
    after: masked(change.after, change.after_sensitive),
  };
}

/** `sensitive` is true for all of a value, or has the value's shape with true at the places that are. */
function masked(value: unknown, sensitive: unknown): unknown {
  if (sensitive === true) return value === null || value === undefined ? value : SENSITIVE;
  if (Array.isArray(value))
    return value.map((item, index) =>
      masked(item, Array.isArray(sensitive) ? (sensitive as unknown[])[index] : undefined),
    );
  if (!isRecord(value) || !isRecord(sensitive)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [
      name,
      masked(item, Object.hasOwn(sensitive, name) ? sensitive[name] : undefined),
    ]),
  );
}
