import type { GateReport, Scope } from '../protocol.js';

export interface StepPlace {
  cwd: string;
  /** changed by `env` */
  environment: Record<string, string>;
  /** variables that `env` has set in this environment */
  handedOn: Set<string>;
  scope: Scope;
  /** whether what came before has succeeded */
  hasSucceeded: boolean;
}

export interface StepResult {
  success: boolean;
  payload: Record<string, unknown>;
  ignoresErrors?: boolean;
  /** not reported: there was nothing to do */
  isSkipped?: boolean;
}

/** `run_on`: after success, after failure, or always. */
export function isDue(runOn: unknown, { hasSucceeded }: Pick<StepPlace, 'hasSucceeded'>): boolean {
  if (runOn === 'always') return true;
  return runOn === 'failure' ? !hasSucceeded : hasSucceeded;
}

/** What of a gate goes to the service; undefined for what is none. */
export function gateOf(value: unknown): GateReport | undefined {
  if (typeof value !== 'object' || value === null || typeof (value as { token?: unknown }).token !== 'string')
    return undefined;
  const { token, name, all_of, any_of, any_of_count, add_reviewers } = value as GateReport;
  return {
    token,
    ...(typeof name === 'string' ? { name } : {}),
    ...(Array.isArray(all_of) ? { all_of: all_of.map(String) } : {}),
    ...(Array.isArray(any_of) ? { any_of: any_of.map(String) } : {}),
    ...(Number.isInteger(any_of_count) ? { any_of_count: Number(any_of_count) } : {}),
    ...(Array.isArray(add_reviewers) ? { add_reviewers: add_reviewers.map(String) } : {}),
  };
}
