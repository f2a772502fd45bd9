import { type Json, type JsonObject, own, put } from './block-data.rules.js';
import { type ConfigurationBlock, isObject } from './configuration-block.js';
import { HclSyntaxError } from './hcl-syntax-error.js';

/** `override.tf`, `x_override.tf.json`: files whose blocks change blocks of other files. */
export function isOverride(file: string): boolean {
  const name = (file.split('/').at(-1) ?? '').replace(/\.(?:tf|tofu)(\.json)?$/, '');
  return name === 'override' || name.endsWith('_override');
}

/** The blocks with those of the override files merged in, file by file (Terraform documentation, override files). */
export function withOverrides(
  blocks: readonly ConfigurationBlock[],
  overrides: readonly ConfigurationBlock[],
): ConfigurationBlock[] {
  const merged = new Map(blocks.map((block) => [block.name, block]));
  const terraform: ConfigurationBlock[] = [];
  for (const override of overrides) {
    const { kind, name, file, startLine, body } = override;
    if (kind === 'terraform') {
      terraform.push(override);
      continue;
    }
    const base = merged.get(name);
    if (base)
      merged.set(name, {
        ...base,
        hash: undefined,
        body: kind === 'locals' ? body : mergedBody(base.body, body),
      });
    else if (kind === 'locals') merged.set(name, override);
    else throw new HclSyntaxError(file, startLine, `there is no ${name} that could be overridden`);
  }
  return [...withTerraform([...merged.values()], terraform), ...terraform];
}

/** What an override says of providers counts instead of what the other files say of them. */
function withTerraform(
  blocks: ConfigurationBlock[],
  overrides: readonly ConfigurationBlock[],
): ConfigurationBlock[] {
  if (overrides.length === 0) return blocks;
  const bodies = overrides.flatMap(({ body }) => (Array.isArray(body) ? body.filter(isObject) : []));
  const providers = new Set(
    bodies.flatMap((body) => bodiesOf(own(body, 'required_providers')).flatMap(Object.keys)),
  );
  const hasVersion = bodies.some((body) => Object.hasOwn(body, 'required_version'));
  return blocks.map((block) => {
    if (block.kind !== 'terraform' || !Array.isArray(block.body)) return block;
    const body = block.body.filter(isObject).map((each): JsonObject => {
      const { required_version: version, required_providers: required, ...rest } = each;
      const kept = bodiesOf(required).map((list) =>
        Object.fromEntries(Object.entries(list).filter(([name]) => !providers.has(name))),
      );
      return {
        ...rest,
        ...(version === undefined || hasVersion ? {} : { required_version: version }),
        ...(required === undefined ? {} : { required_providers: kept }),
      };
    });
    return { ...block, body };
  });
}

function mergedBody(base: Json, override: Json): Json {
  if (!isObject(base) || !isObject(override)) return override;
  const result: JsonObject = { ...base };
  const replaced = new Set([...Object.keys(override), ...dynamicLabels(override)]);
  for (const [name, value] of Object.entries(override)) {
    if (name === 'dynamic') continue;
    if (name === 'lifecycle') put(result, name, [mergedLifecycle(own(result, name), value)]);
    else put(result, name, value);
  }
  for (const label of dynamicLabels(override))
    if (!Object.hasOwn(override, label)) Reflect.deleteProperty(result, label);
  const kept = blocksOf(own(base, 'dynamic')).filter((block) => !replaced.has(Object.keys(block)[0] ?? ''));
  const dynamic = [...kept, ...blocksOf(own(override, 'dynamic'))];
  if (dynamic.length > 0) put(result, 'dynamic', dynamic);
  else Reflect.deleteProperty(result, 'dynamic');
  return result;
}

function mergedLifecycle(base: Json | undefined, override: Json): JsonObject {
  return Object.assign({}, ...bodiesOf(base), ...bodiesOf(override)) as JsonObject;
}

function dynamicLabels(body: JsonObject): string[] {
  return blocksOf(own(body, 'dynamic')).flatMap(Object.keys);
}

/** Each label on its own, whether the blocks stand in a list or in one object. */
function blocksOf(value: Json | undefined): JsonObject[] {
  return bodiesOf(value).flatMap((each) =>
    Object.entries(each).flatMap(([label, body]) => bodiesOf(body).map((one) => ({ [label]: one }))),
  );
}

function bodiesOf(value: Json | undefined): JsonObject[] {
  return (Array.isArray(value) ? value : [value]).filter(isObject);
}
