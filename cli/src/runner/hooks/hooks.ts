import type { StepSpec } from '../protocol.js';
import type { RunState } from '../run-state.js';
import { runEnv } from './env.hook.js';
import { askForDriftIssue } from './drift-issue.hook.js';
import type { StepPlace, StepResult } from './hook-step.js';
import { runOidc } from './oidc.hook.js';
import { runCommand, runGates } from './run.hook.js';

/** Does one hook and reports it; false when the operation fails with it. */
export async function runHook(spec: StepSpec, state: RunState, place: StepPlace): Promise<boolean> {
  const result = await resultOf(spec, state, place);
  if (result.isSkipped) return true;
  const ignoresErrors = result.ignoresErrors ?? false;
  await state.reports.step({
    scope: place.scope,
    step: spec.type,
    state: result.success ? 'success' : 'failure',
    ignore_errors: ignoresErrors,
    ...(typeof spec['visible_on'] === 'string' ? { visible_on: spec['visible_on'] } : {}),
    ...(spec['format'] === undefined ? {} : { format: spec['format'] }),
    payload: result.payload,
  });
  return result.success || ignoresErrors;
}

async function resultOf(spec: StepSpec, state: RunState, place: StepPlace): Promise<StepResult> {
  // Once something has failed only hooks go on that say so themselves.
  if (
    !place.hasSucceeded &&
    spec.type !== 'run' &&
    spec.type !== 'gates' &&
    spec.type !== 'drift_create_issue'
  )
    return { success: true, payload: {}, isSkipped: true };
  switch (spec.type) {
    case 'env':
      return runEnv(spec, state, place);
    case 'run':
      return runCommand(spec, state, place);
    case 'gates':
      return runGates(spec, state, place);
    case 'oidc':
      return runOidc(spec, state, place);
    case 'drift_create_issue':
      return askForDriftIssue(spec, state, place);
    default:
      return {
        success: false,
        payload: { text: `this client does not know the hook ${spec.type}; update it` },
      };
  }
}

/** All hooks of a list, in order; those after a failure run only when they say so. */
export async function runHooks(
  hooks: readonly StepSpec[],
  state: RunState,
  { subflow, hasSucceeded }: { subflow: 'pre' | 'post'; hasSucceeded: boolean },
): Promise<boolean> {
  let succeeded = true;
  for (const spec of hooks) {
    const place: StepPlace = {
      cwd: state.root,
      environment: state.environment,
      handedOn: state.handedOn,
      scope: { type: 'run', flow: 'hooks', subflow },
      hasSucceeded: hasSucceeded && succeeded,
    };
    succeeded = (await runHook(spec, state, place)) && succeeded;
  }
  return succeeded;
}
