import {
  isObject,
  member,
  minifiedJson,
  parseRaw,
  printRaw,
  projectAttributes,
  type RawJson,
} from '../documents/index.js';
import { SENSITIVE } from './plan-json.rules.js';

/** What providers keep to themselves, and the old form of attributes, whose paths say nothing of what is sensitive. */
const NEVER_SHOWN = ['private', 'attributes_flat'];

/**
 * The data of a log entry as its readers see it: without what it marks sensitive. What is stored has it, for it is to be
 * put into the state.
 * @param data JSON text
 */
export function shownData(objectType: string, data: string): string {
  if (objectType !== 'instance' && objectType !== 'output') return data;
  const raw = parseRaw(minifiedJson(data));
  if (!isObject(raw)) return data;
  const change = objectType === 'instance' ? attributeOf(raw) : valueOf(raw);
  const entries = raw.entries
    .filter(([name]) => !NEVER_SHOWN.includes(name))
    .map(([name, value]): [string, RawJson] => [name, change(name, value)]);
  return printRaw({ entries });
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
      ? parseRaw(projectAttributes(printRaw(value), sensitive, isRemoteState))
      : value;
}
