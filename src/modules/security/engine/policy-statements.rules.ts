import { type Attributes, elementsOf, isRecord, type Json, textOf, UNKNOWN } from './attribute-path.rules.js';
import type { PolicyPattern } from './condition.js';
import type { Truth } from './truth.rules.js';

const MAX_CACHED_TEXTS = 64;
const MAX_CACHED_CHARACTERS = 100_000;
const parsed = new Map<string, Json | undefined>();

/** JSON text as a value, or the value itself; undefined when malformed. */
export function parseJson(value: Json | undefined): Json | undefined {
  if (typeof value !== 'string') return value;
  if (value.length <= MAX_CACHED_CHARACTERS && parsed.has(value)) return parsed.get(value);
  let result: Json | undefined;
  try {
    result = JSON.parse(value) as Json;
  } catch {
    result = undefined;
  }
  if (value.length <= MAX_CACHED_CHARACTERS) {
    if (parsed.size >= MAX_CACHED_TEXTS) parsed.clear();
    parsed.set(value, result);
  }
  return result;
}

/** The statements of an IAM-style policy document; anything malformed has none. */
export function statementsOf(policy: Json | undefined): Attributes[] {
  const document = parseJson(policy);
  if (!isRecord(document)) return [];
  return elementsOf(memberOf(document, 'Statement')).filter(isRecord);
}

export function policyMatches(policy: Json | undefined, pattern: PolicyPattern): Truth {
  if (policy === UNKNOWN) return undefined;
  return statementsOf(policy).some((statement) => statementMatches(statement, pattern));
}

function statementMatches(statement: Attributes, pattern: PolicyPattern): boolean {
  if (textOf(memberOf(statement, 'Effect'))?.toLowerCase() !== pattern.effect.toLowerCase()) return false;
  if (pattern.principal !== undefined && !hasPrincipal(statement, pattern.principal)) return false;
  if (pattern.action !== undefined && !hasAction(statement, pattern)) return false;
  if (pattern.resource !== undefined && !texts(memberOf(statement, 'Resource')).includes(pattern.resource))
    return false;
  return pattern.noCondition !== true || isEmptyCondition(memberOf(statement, 'Condition'));
}

/** Whether the statement names the principal, as a text or under `AWS`. */
export function hasPrincipal(statement: Attributes, principal: string): boolean {
  const value = memberOf(statement, 'Principal');
  const named = isRecord(value) ? [...texts(value['AWS']), ...texts(value['*'])] : texts(value);
  return named.some((name) => name === principal || (principal === '*' && isAnyAccount(name)));
}

function hasAction(statement: Attributes, pattern: PolicyPattern): boolean {
  const wanted = (pattern.action ?? '').toLowerCase();
  return texts(memberOf(statement, 'Action')).some((text) => {
    const action = text.toLowerCase();
    if (action === wanted) return true;
    if (pattern.exactAction === true) return false;
    if (wanted === '*')
      return pattern.service !== undefined && action === `${pattern.service.toLowerCase()}:*`;
    return wildcardCovers(action, wanted);
  });
}

/** Whether an action with `*` and `?` covers a name. Linear: `*` never backtracks further than the last one. */
export function wildcardCovers(wildcard: string, name: string): boolean {
  let at = 0;
  let star = -1;
  let resume = 0;
  let position = 0;
  while (position < name.length) {
    if (
      at < wildcard.length &&
      (wildcard[at] === '?' || wildcard[at] === name[position]) &&
      wildcard[at] !== '*'
    ) {
      at += 1;
      position += 1;
    } else if (wildcard[at] === '*') {
      star = at;
      at += 1;
      resume = position;
    } else if (star >= 0) {
      at = star + 1;
      resume += 1;
      position = resume;
    } else return false;
  }
  while (wildcard[at] === '*') at += 1;
  return at === wildcard.length;
}

/** An ARN whose account is a wildcard names principals of every account. */
function isAnyAccount(name: string): boolean {
  return /^arn:aws[\w-]*:(?:iam|sts)::\*/.test(name);
}

/** Absent, or without a test that excludes anybody. */
function isEmptyCondition(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  return (
    isRecord(value) && Object.entries(value).every(([operator, tests]) => admitsEverybody(operator, tests))
  );
}

/** `ForAllValues` holds for requests that lack the key; a wildcard holds for all of them. */
export function admitsEverybody(operator: string, tests: Json): boolean {
  if (/^ForAllValues:/i.test(operator)) return true;
  if (/not/i.test(operator) || !isRecord(tests)) return false;
  return Object.values(tests).every((values) =>
    elementsOf(values).some((value) => value === '*' || isAnyAccount(textOf(value) ?? '')),
  );
}

function texts(value: Json | undefined): string[] {
  return elementsOf(value).filter((item) => typeof item === 'string');
}

/** Policy members are case-insensitive in practice: some documents are written in lower case. */
export function memberOf(record: Attributes, name: string): Json | undefined {
  if (Object.hasOwn(record, name)) return record[name];
  const lower = name.toLowerCase();
  return Object.hasOwn(record, lower) ? record[lower] : undefined;
}
