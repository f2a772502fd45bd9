/** What can be wrong with a line, by the number that engines give it. */
export const LINE_PROBLEMS = {
  1: 'the cost must be a decimal number of at most 30 digits before and after the point',
  2: 'the currency must be three letters',
  3: 'the beginning of the charge period must be a date or time',
  4: 'the charge period begins too early or too late to be true',
  5: 'the effective cost must be a decimal number of at most 30 digits before and after the point',
} as const;

export type LineProblem = keyof typeof LINE_PROBLEMS;

export function isLineProblem(number: number): number is LineProblem {
  return number in LINE_PROBLEMS;
}

/** Amounts as clouds write them: `12`, `-0.50`, `6.1E-7`. */
export const AMOUNT = '[+-]?([0-9]{1,30}(\\.[0-9]{0,30})?|\\.[0-9]{1,30})([eE][+-]?[0-9]{1,2})?';
/** Times that begin with their day in UTC; others have an offset that may move the day. */
export const UTC_TIME =
  '[0-9]{4}-[0-9]{2}-[0-9]{2}([T ][0-9]{2}:[0-9]{2}(:[0-9]{2}(\\.[0-9]{1,9})?)?( ?UTC|Z|\\+00(:?00)?)?)?';

/** Names of providers in bills → the provider's short name; any other name is kept in small letters. */
export const PROVIDER_NAMES: readonly (readonly [string, string])[] = [
  ['aws', 'aws'],
  ['amazon web services', 'aws'],
  ['microsoft', 'azure'],
  ['microsoft azure', 'azure'],
  ['google cloud', 'gcp'],
  ['google', 'gcp'],
];
