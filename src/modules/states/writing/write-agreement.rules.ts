import type { BaseCandidate } from './write-base.rules.js';
import type { Decision, Effect } from './write-comparison.js';

/** One explanation of where a document came from. */
export interface Hypothesis {
  candidate: BaseCandidate;
  /** the candidate is the document itself, whose answer was lost */
  isRepeat: boolean;
}

/** What follows from one explanation. */
export interface Result {
  decision: Decision;
  effect: Effect;
}

/** The decision to which all explanations lead; undefined when they lead to different ones. */
export function agreementOf(results: readonly Result[]): Decision | undefined {
  const [first] = results;
  if (!first || results.some(({ effect }) => !isSameEffect(effect, first.effect))) return undefined;
  const decisions = results.map(({ decision }) => decision);
  // A document that replaces the current one keeps its bytes; an accepted one needs no second version.
  return (
    decisions.find(({ kind }) => kind === 'unchanged') ??
    decisions.find(({ kind }) => kind === 'store') ??
    decisions[0]
  );
}

export function isProperPart(part: ReadonlySet<string>, whole: ReadonlySet<string>): boolean {
  return part.size < whole.size && [...part].every((item) => whole.has(item));
}

function isSameEffect(a: Effect, b: Effect): boolean {
  if (!a || !b) return a === b;
  return a.size === b.size && [...a].every((item) => b.has(item));
}
