import { DEFAULT_CONFIG, type RepoConfig } from './config.schema.js';
import { TRUST } from './trust.rules.js';

/** Keys that a file gives, such as `run.pool`. Lists and records whose keys people choose count as one key. */
export type GivenKeys = ReadonlySet<string>;

export interface ExplainedKey {
  path: readonly string[];
  value: unknown;
  /** branch that gives the value; `default`: the branch that decides about it does not */
  origin: 'base' | 'head' | 'default';
}

type Fields = Readonly<Record<string, unknown>>;

function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Values with the paths of their keys, as deep as the keys of the format go. */
function leavesOf(
  fields: Fields,
  shape: Fields,
  above: readonly string[] = [],
): Omit<ExplainedKey, 'origin'>[] {
  return Object.entries(fields).flatMap(([key, value]) => {
    const path = [...above, key];
    const inner = Object.hasOwn(shape, key) ? shape[key] : undefined;
    return isFields(inner) && Object.keys(inner).length > 0 && isFields(value)
      ? leavesOf(value, inner, path)
      : [{ path, value }];
  });
}

/** Of what was parsed from a file, before defaults are added. */
export function givenKeys(value: unknown): GivenKeys {
  return new Set(
    isFields(value) ? leavesOf(value, DEFAULT_CONFIG).map(({ path }) => path.join('.')) : undefined,
  );
}

/** Every key of an effective configuration with the branch that its value comes from. */
export function explainConfig(
  config: RepoConfig,
  given: Readonly<Record<'base' | 'head', GivenKeys>>,
): ExplainedKey[] {
  return leavesOf(config, DEFAULT_CONFIG).map(({ path, value }) => {
    const side = TRUST[path[0] as keyof RepoConfig];
    return { path, value, origin: given[side].has(path.join('.')) ? side : 'default' };
  });
}
