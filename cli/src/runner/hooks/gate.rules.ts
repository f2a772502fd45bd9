import type { GateReport } from '../protocol.js';

/** What the service takes of a gate; the schema of the configuration has the same limits. */
export const GATE_LIMITS = { textLength: 200, personLength: 1_000, people: 100, count: 1_000, gates: 100 };

const LISTS = ['all_of', 'any_of', 'add_reviewers'] as const;

export type GateReading = { gate: GateReport } | { mistake: string };

/** Reads a gate that a hook has made. `name` says which one it is in the mistake, which repeats nothing of its content. */
export function readGate(value: unknown, name: string): GateReading {
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    return { mistake: `${name} must be an object` };
  const fields = value as Readonly<Record<string, unknown>>;
  const wrong = mistakeIn(fields);
  if (wrong !== undefined) return { mistake: `${name}: ${wrong}` };
  const { token, name: title, all_of, any_of, any_of_count, add_reviewers } = withoutNulls(fields);
  return {
    gate: {
      token,
      ...(title === undefined ? {} : { name: title }),
      ...(all_of === undefined ? {} : { all_of }),
      ...(any_of === undefined ? {} : { any_of }),
      ...(any_of_count === undefined ? {} : { any_of_count }),
      ...(add_reviewers === undefined ? {} : { add_reviewers }),
    },
  };
}

/** A gate that stands already, with the same token, is kept. Answers what of them could not be added. */
export function addGates(known: GateReport[], gates: readonly GateReport[]): string | undefined {
  for (const gate of gates) {
    if (known.some(({ token }) => token === gate.token)) continue;
    if (known.length >= GATE_LIMITS.gates) return `a run must have at most ${GATE_LIMITS.gates} gates`;
    known.push(gate);
  }
  return undefined;
}

function mistakeIn(fields: Readonly<Record<string, unknown>>): string | undefined {
  const { token, name, any_of_count: count } = fields;
  if (!isLine(token, GATE_LIMITS.textLength) || token !== token.trim())
    return `token must be one line of 1 to ${GATE_LIMITS.textLength} characters without blanks at its ends`;
  if (isGiven(name) && !isLine(name, GATE_LIMITS.textLength))
    return `name must be one line of 1 to ${GATE_LIMITS.textLength} characters`;
  if (
    isGiven(count) &&
    !(Number.isInteger(count) && Number(count) >= 1 && Number(count) <= GATE_LIMITS.count)
  )
    return `any_of_count must be a whole number from 1 to ${GATE_LIMITS.count}`;
  for (const key of LISTS) {
    const people = fields[key];
    if (isGiven(people) && !isListOfPeople(people))
      return `${key} must be a list of at most ${GATE_LIMITS.people} names of at most ${GATE_LIMITS.personLength} characters`;
  }
  return undefined;
}

function isListOfPeople(value: unknown): boolean {
  return (
    Array.isArray(value) &&
    value.length <= GATE_LIMITS.people &&
    value.every((person) => isLine(person, GATE_LIMITS.personLength))
  );
}

function isLine(value: unknown, maxLength: number): value is string {
  if (typeof value !== 'string' || value === '' || value.length > maxLength) return false;
  // oxlint-disable-next-line no-control-regex -- what neither a line nor a column of the database can hold
  return !/[\u0000-\u001f\u007f]/.test(value);
}

function isGiven(value: unknown): boolean {
  return value !== undefined && value !== null;
}

/** Its fields have been checked. */
function withoutNulls(fields: Readonly<Record<string, unknown>>): GateReport {
  return Object.fromEntries(
    Object.entries(fields).filter(([, value]) => isGiven(value)),
  ) as unknown as GateReport;
}
