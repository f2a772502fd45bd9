import { isLosslessNumber, parse, stringify } from 'lossless-json';
import { httpErrors } from '../../platform/errors/index.js';
import { MAX_ITERATION_BYTES, MAX_SELECTED_PATHS } from './kv-limits.js';

type Step = string | number;

/** `name=path`: the value at `path` becomes member `name` of the answer. */
export interface Selection {
  name: string;
  steps: Step[];
}

const STEP = /\.?(?:"([^"]*)"|([^."[\]\s]+))|\[(\d{1,9})\]/y;

/**
 * Parses the `select` parameters. A path is names joined by dots, `"a.b"` quoted, with `[n]` for elements of lists; a
 * leading `$.` may stand. Throws 400 naming `select`.
 */
export function parseSelections(parameters: readonly string[]): Selection[] {
  if (parameters.length > MAX_SELECTED_PATHS)
    throw httpErrors.INVALID_REQUEST(`select must not be given more than ${MAX_SELECTED_PATHS} times`);
  return parameters.map((parameter, index) => {
    const equals = parameter.indexOf('=');
    const steps = equals < 1 ? undefined : parseSteps(parameter.slice(equals + 1));
    if (!steps)
      throw httpErrors.INVALID_REQUEST(
        `select ${index + 1} must look like name=path, where path is names joined by dots with [n] for list elements`,
      );
    return { name: parameter.slice(0, equals), steps };
  });
}

function parseSteps(path: string): Step[] | undefined {
  let text = path.startsWith('$.') ? path.slice(2) : path;
  if (path.startsWith('$[')) text = path.slice(1);
  if (text === '' || text.startsWith('.')) return undefined;
  const steps: Step[] = [];
  STEP.lastIndex = 0;
  while (STEP.lastIndex < text.length) {
    const start = STEP.lastIndex;
    const match = STEP.exec(text);
    if (!match) return undefined;
    const [, quoted, plain, index] = match;
    // A name that is not the first one follows a dot.
    if (index === undefined && start > 0 && text.charAt(start) !== '.') return undefined;
    steps.push(index === undefined ? (quoted ?? plain ?? '') : Number(index));
  }
  return steps;
}

/**
 * The JSON text of `{name: value}` with the values that the paths find in `data`. What is not found is null, and so is
 * everything in data that is not JSON. Numbers keep every digit. Throws 400 where paths to the same values would make an
 * answer larger than an iteration may be.
 */
export function selectFrom(data: string, selections: readonly Selection[]): string {
  const root = parseLosslessly(data);
  const most = Math.max(MAX_ITERATION_BYTES, data.length);
  let length = 0;
  const members = selections.map(({ name, steps }) => {
    const member = `${JSON.stringify(name)}:${writtenOut(steps.reduce<unknown>(memberOf, root))}`;
    length += member.length;
    if (length > most)
      throw httpErrors.INVALID_REQUEST(`select must not lead to more than ${most} characters`);
    return member;
  });
  return `{${members.join(',')}}`;
}

function memberOf(value: unknown, step: Step): unknown {
  if (typeof step === 'number') return Array.isArray(value) ? value[step] : undefined;
  if (typeof value !== 'object' || value === null || Array.isArray(value) || isLosslessNumber(value))
    return undefined;
  return Object.hasOwn(value, step) ? (value as Record<string, unknown>)[step] : undefined;
}

function writtenOut(value: unknown): string {
  try {
    return stringify(value) ?? 'null';
  } catch {
    // Writing takes more stack for each level than parsing does: a value nested so deeply is not found.
    return 'null';
  }
}

function parseLosslessly(data: string): unknown {
  try {
    return parse(data, undefined, { onDuplicateKey: ({ newValue }) => newValue });
  } catch {
    // Not JSON, or nested deeper than any document that a path could be written for.
    return undefined;
  }
}
