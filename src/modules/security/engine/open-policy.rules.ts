import { type Attributes, elementsOf, isRecord, type Json, textOf, UNKNOWN } from './attribute-path.rules.js';
import { isWorldCidr } from './network-match.rules.js';
import { admitsEverybody, hasPrincipal, memberOf, statementsOf } from './policy-statements.rules.js';
import type { Truth } from './truth.rules.js';

/** Condition keys that narrow who may call: addresses, endpoints, organizations, accounts and callers. */
const NARROWING =
  /^(?:aws:(?:sourceip|vpcsourceip|sourcevpce?|sourcevpcarn|principalorgid|principalorgpaths|principalaccount|principalarn|sourcearn|sourceaccount|sourceowner|sourceorgid|sourceorgpaths|userid|username)|kms:calleraccount|kms:viaservice|s3:dataaccesspointaccount|sns:endpoint)$/;

/** Whether a statement allows everybody something and no condition narrows who that is. */
export function isOpenToEverybody(policy: Json | undefined): Truth {
  if (policy === UNKNOWN) return undefined;
  return statementsOf(policy).some(
    (statement) =>
      textOf(memberOf(statement, 'Effect'))?.toLowerCase() === 'allow' &&
      (hasPrincipal(statement, '*') || memberOf(statement, 'NotPrincipal') !== undefined) &&
      !isNarrowed(memberOf(statement, 'Condition')),
  );
}

function isNarrowed(condition: Json | undefined): boolean {
  if (!isRecord(condition)) return false;
  return Object.entries(condition).some(
    // A negated operator excludes some callers and leaves all others.
    ([operator, tests]) =>
      !/not/i.test(operator) &&
      !admitsEverybody(operator, tests) &&
      isRecord(tests) &&
      hasNarrowingKey(tests),
  );
}

function hasNarrowingKey(tests: Attributes): boolean {
  return Object.entries(tests).some(
    ([key, values]) =>
      NARROWING.test(key.toLowerCase()) &&
      !elementsOf(values).some((value) => value === '*' || isWorldCidr(textOf(value) ?? '')),
  );
}
