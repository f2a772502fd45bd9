import type { Scope } from '../protocol.js';

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
