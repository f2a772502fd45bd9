import type { StepSpec } from '../protocol.js';
import type { RunState } from '../run-state.js';
import type { StepPlace, StepResult } from './hook-step.js';

/**
 * Asks the service for an issue about drift; it alone knows which issues are open, and keeps them when all results are
 * there. Only what comes after the plan of a drift run has anything to say.
 */
export function askForDriftIssue(
  spec: StepSpec,
  { work }: Pick<RunState, 'work'>,
  { scope }: Pick<StepPlace, 'scope'>,
): StepResult {
  const isPost = scope.type === 'run' && scope.subflow === 'post';
  if (!isPost || work.kind !== 'drift' || work.run_type !== 'plan')
    return { success: true, payload: {}, isSkipped: true };
  return { success: true, payload: { group_by: spec['group_by'] ?? 'all' } };
}
