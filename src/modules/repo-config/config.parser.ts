import type { z } from 'zod';
import { type RepoConfig, repoConfigSchema } from './config.schema.js';
import { rememberSource } from './config-source.js';
import { type GivenKeys, givenKeys } from './explained-config.rules.js';
import { type ConfigMistake, InvalidRepoConfig } from './repo-config.errors.js';
import { keyName, lineOf, readYaml, type YamlText } from './yaml-text.rules.js';
import { suggestion } from './typing-distance.rules.js';

const MAX_MISTAKES = 20;

/** Parses `.infrastate/config.yml`. Throws `InvalidRepoConfig` that names file, line and key of every mistake. */
export function parseRepoConfig(text: string, file: string): RepoConfig {
  return parseGivenConfig(text, file).config;
}

/** The same with the keys that the file gives. */
export function parseGivenConfig(text: string, file: string): { config: RepoConfig; given: GivenKeys } {
  const yaml = readYaml(text, file);
  const config = parseValue(yaml);
  rememberSource(config, { text, file });
  return { config, given: givenKeys(yaml.value) };
}

function parseValue({ value, parsing }: ReturnType<typeof readYaml>): RepoConfig {
  const parsed = repoConfigSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const mistakes = parsed.error.issues
    .slice(0, MAX_MISTAKES)
    .flatMap((issue) => mistakesOf(issue, [], parsing));
  throw new InvalidRepoConfig(mistakes.slice(0, MAX_MISTAKES));
}

/** Of a union, the alternative that came closest says what is wrong. */
function mistakesOf(
  issue: z.core.$ZodIssue,
  above: readonly PropertyKey[],
  parsing: YamlText,
): ConfigMistake[] {
  const path = [...above, ...issue.path];
  if (issue.code === 'invalid_union' && issue.errors.length > 0) {
    const closest = closestAlternative(issue.errors);
    if (closest) return closest.flatMap((inner) => mistakesOf(inner, path, parsing));
  }
  if (issue.code === 'unrecognized_keys')
    return issue.keys.slice(0, MAX_MISTAKES).map((key) => ({
      file: parsing.file,
      line: lineOf(parsing, [...path, key]),
      key: keyName([...path, key]),
      message: `unknown key${suggestion(key, knownKeysAt(path))}`,
    }));
  if (issue.code === 'invalid_key')
    return issue.issues.map((inner) => ({
      file: parsing.file,
      line: lineOf(parsing, path),
      key: keyName(path),
      message: inner.message,
    }));
  return [{ file: parsing.file, line: lineOf(parsing, path), key: keyName(path), message: messageOf(issue) }];
}

/** The alternative whose `type` is right, and among those the one with the fewest mistakes. */
function closestAlternative(
  alternatives: readonly (readonly z.core.$ZodIssue[])[],
): readonly z.core.$ZodIssue[] | undefined {
  const score = (issues: readonly z.core.$ZodIssue[]): number =>
    issues.length +
    (issues.some(({ path, code }) => path[0] === 'type' || (code === 'invalid_type' && path.length === 0))
      ? 100
      : 0);
  return alternatives.toSorted((a, b) => score(a) - score(b))[0];
}

function messageOf(issue: z.core.$ZodIssue): string {
  return issue.message.replace(/^Invalid (input|option): /, '');
}

/** Keys of the schema at a place, for suggestions; a union offers those of all its alternatives. */
function knownKeysAt(path: readonly PropertyKey[]): string[] {
  let schemas: unknown[] = [repoConfigSchema];
  for (const part of path) schemas = schemas.flatMap(unwrapped).flatMap((schema) => childrenOf(schema, part));
  return schemas.flatMap(unwrapped).flatMap((schema) => Object.keys((schema as ObjectLike).def.shape ?? {}));
}

interface ObjectLike {
  def: {
    shape?: Record<string, unknown>;
    element?: unknown;
    valueType?: unknown;
    innerType?: unknown;
    options?: unknown[];
  };
}

function unwrapped(schema: unknown): unknown[] {
  const { def } = schema as ObjectLike;
  if (def.innerType) return unwrapped(def.innerType);
  return def.options ? def.options.flatMap(unwrapped) : [schema];
}

function childrenOf(schema: unknown, part: PropertyKey): unknown[] {
  const { def } = schema as ObjectLike;
  const child = def.shape?.[String(part)] ?? def.element ?? def.valueType;
  return child === undefined ? [] : [child];
}
