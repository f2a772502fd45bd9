import { defineThreadWork } from '../../../platform/threads/index.js';
import { withoutBackend } from '../../configurations/index.js';
import {
  isArray,
  isObject,
  member,
  minifiedJson,
  parseRaw,
  printRaw,
  projectAttributes,
  type RawJson,
  SENSITIVE,
} from '../../documents/index.js';

/** What providers keep to themselves, and the old form of attributes, whose paths say nothing of what is sensitive. */
const NEVER_SHOWN = ['private', 'attributes_flat'];
/** Few blocks have to be taken apart. */
const MAY_HAVE_SECRETS = /"(?:terraform|variable)"/;

/**
 * The data of a log entry as its readers see it: without what it marks sensitive. What is stored has it, for it is to be
 * put into the state.
 * @param data JSON text
 * @param sensitiveVariables names of those whose values are not shown
 */
export function shownData(
  objectType: string,
  data: string,
  sensitiveVariables: ReadonlySet<string> = new Set(),
): string {
  if (objectType === 'hcl' && MAY_HAVE_SECRETS.test(data)) return shownBlock(data);
  if (objectType === 'tfvar') return shownVariable(data, sensitiveVariables);
  if (objectType !== 'instance' && objectType !== 'output') return data;
  const raw = parseRaw(minifiedJson(data));
  if (!isObject(raw)) return data;
  const change = objectType === 'instance' ? attributeOf(raw) : valueOf(raw);
  const entries = raw.entries
    .filter(([name]) => !NEVER_SHOWN.includes(name))
    .map(([name, value]): [string, RawJson] => [name, change(name, value)]);
  return printRaw({ entries });
}

/** Without the secrets of a backend, which entries have from before these were left out, and without sensitive defaults. */
function shownBlock(data: string): string {
  const raw = parseRaw(minifiedJson(data));
  if (!isObject(raw)) return data;
  const entries = raw.entries.map(([name, value]): [string, RawJson] => [
    name,
    name === 'data' && isObject(value) ? withoutDefaults(withoutBackend(value)) : value,
  ]);
  return printRaw({ entries });
}

function shownVariable(data: string, sensitive: ReadonlySet<string>): string {
  const raw = parseRaw(minifiedJson(data));
  const name = isObject(raw) ? member(raw, 'name') : undefined;
  if (!isObject(raw) || typeof name !== 'string' || !sensitive.has(JSON.parse(name) as string)) return data;
  const entries = raw.entries.map(([key, value]): [string, RawJson] => [
    key,
    key === 'data' && value !== 'null' ? JSON.stringify(SENSITIVE) : value,
  ]);
  return printRaw({ entries });
}

function withoutDefaults(block: RawJson): RawJson {
  if (!isObject(block)) return block;
  const entries = block.entries.map(([kind, value]): [string, RawJson] => [
    kind,
    kind === 'variable' ? shownVariables(value, 1) : value,
  ]);
  return { entries };
}

/** @param names that stand above a body; whatever stands alone may stand in a list as well */
function shownVariables(value: RawJson, names: number): RawJson {
  if (isArray(value)) return { items: value.items.map((item) => shownVariables(item, names)) };
  if (!isObject(value)) return value;
  const sensitive = member(value, 'sensitive');
  const isSensitive = sensitive === 'true' || sensitive === '"true"';
  const entries = value.entries.map(([name, item]): [string, RawJson] => {
    if (names > 0) return [name, shownVariables(item, names - 1)];
    return [name, isSensitive && name === 'default' && item !== 'null' ? JSON.stringify(SENSITIVE) : item];
  });
  return { entries };
}

function valueOf(output: RawJson): (name: string, value: RawJson) => RawJson {
  const isSensitive = member(output, 'sensitive') === 'true';
  return (name, value) =>
    isSensitive && name === 'value' && value !== 'null' ? JSON.stringify(SENSITIVE) : value;
}

function attributeOf(instance: RawJson): (name: string, value: RawJson) => RawJson {
  const paths = member(instance, 'sensitive_attributes');
  const sensitive: unknown = paths === undefined ? [] : JSON.parse(printRaw(paths));
  const isRemoteState = member(instance, 'type') === '"terraform_remote_state"';
  return (name, value) =>
    name === 'attributes' && value !== 'null'
      ? parseRaw(projectAttributes(printRaw(value), sensitive, { isRemoteState }))
      : value;
}

interface ShownInput {
  entries: readonly { objectType: string; data: string }[];
  sensitiveVariables: readonly string[];
}

/** Log entries as their readers see them; may run in a thread. */
export const SHOW_ENTRIES = defineThreadWork(
  __filename,
  'SHOW_ENTRIES',
  ({ entries, sensitiveVariables }: ShownInput): string[] => {
    const variables = new Set(sensitiveVariables);
    return entries.map(({ objectType, data }) => shownData(objectType, data, variables));
  },
);
