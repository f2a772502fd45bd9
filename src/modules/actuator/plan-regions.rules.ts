import { isRecord } from '../../platform/json/is-record.js';

/** Arguments of a provider block that say where its resources are. */
const PLACES = ['region', 'zone', 'location'] as const;
const PLACE = /^[A-Za-z0-9][A-Za-z0-9 _-]{0,59}$/;
const MAX_MODULE_DEPTH = 50;

/** What is kept of a plan's configuration: where its providers are, and which resource uses which. */
export interface PlanRegions {
  /** by provider key, such as `aws.west` or `module.net:aws` */
  provider_config: Record<string, { expressions: Record<string, { constant_value: string }> }>;
  /** provider key by resource address without instance keys; only of providers whose place is known */
  provider_config_keys: Record<string, string>;
}

/**
 * Reads the places of providers from `configuration` of `terraform show -json`: constants, and values of root variables that
 * they refer to unless those are sensitive. Total on any JSON.
 */
export function planRegions(plan: unknown): PlanRegions | undefined {
  const configuration = member(plan, 'configuration');
  const providers = member(configuration, 'provider_config');
  const root = member(configuration, 'root_module');
  if (!isRecord(providers)) return undefined;
  const variables = new Variables(member(plan, 'variables'), member(root, 'variables'));
  const known = new Map<string, PlanRegions['provider_config'][string]>();
  for (const [key, provider] of Object.entries(providers)) {
    const expressions = placesOf(provider, variables);
    if (expressions !== undefined) known.set(key, { expressions });
  }
  if (known.size === 0) return undefined;
  return {
    provider_config: Object.fromEntries(known),
    provider_config_keys: Object.fromEntries(
      [...resourceKeys(root, '', 0)].filter(([, key]) => known.has(key)),
    ),
  };
}

function placesOf(
  provider: unknown,
  variables: Variables,
): Record<string, { constant_value: string }> | undefined {
  // In a module the names of variables are the module's own, whose values a plan does not tell.
  const isOfModule = typeof member(provider, 'module_address') === 'string';
  const expressions = member(provider, 'expressions');
  const places = PLACES.flatMap((name) => {
    const expression = member(expressions, name);
    const value =
      member(expression, 'constant_value') ?? (isOfModule ? undefined : variables.read(expression));
    return typeof value === 'string' && PLACE.test(value) ? [[name, { constant_value: value }] as const] : [];
  });
  return places.length === 0 ? undefined : Object.fromEntries(places);
}

class Variables {
  constructor(
    private readonly values: unknown,
    private readonly declared: unknown,
  ) {}

  /** The value of the one variable that the expression is. */
  read(expression: unknown): unknown {
    const references = member(expression, 'references');
    const [reference, ...more] = Array.isArray(references) ? (references as unknown[]) : [];
    if (typeof reference !== 'string' || more.length > 0 || !reference.startsWith('var.')) return undefined;
    const name = reference.slice('var.'.length);
    if (member(member(this.declared, name), 'sensitive') === true) return undefined;
    return member(member(this.values, name), 'value');
  }
}

function* resourceKeys(module: unknown, prefix: string, depth: number): Generator<[string, string]> {
  if (depth > MAX_MODULE_DEPTH) return;
  const resources = member(module, 'resources');
  for (const resource of Array.isArray(resources) ? (resources as unknown[]) : []) {
    const [address, key] = [member(resource, 'address'), member(resource, 'provider_config_key')];
    if (typeof address === 'string' && typeof key === 'string') yield [prefix + address, key];
  }
  const calls = member(module, 'module_calls');
  if (isRecord(calls))
    for (const [name, call] of Object.entries(calls))
      yield* resourceKeys(member(call, 'module'), `${prefix}module.${name}.`, depth + 1);
}

function member(value: unknown, name: string): unknown {
  return isRecord(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}
