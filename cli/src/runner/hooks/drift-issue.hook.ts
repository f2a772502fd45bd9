import type { StepSpec } from '../protocol.js';
import type { RunState } from '../run-state.js';
import type { StepResult } from './hook-step.js';

/**
 * Asks the service for an issue about drift; it alone knows which issues are open, and keeps them when all results are
 * there. Only a plan of a drift run has anything to say.
 */
export function askForDriftIssue(spec: StepSpec, { work }: Pick<RunState, 'work'>): StepResult {
  if (work.kind !== 'drift' || work.run_type !== 'plan')
    return { success: true, payload: {}, isSkipped: true };
  return { success: true, payload: { group_by: spec['group_by'] ?? 'all' } };
}
