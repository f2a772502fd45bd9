import type { RunErrorId } from '../runs/work-manifest.machine.js';

/** What people do about a run that was aborted, as Markdown; undefined: nothing. docs/runs.md says the same. */
const REMEDIES: Readonly<Record<RunErrorId, string | undefined>> = {
  SUPERSEDED: undefined,
  CANCELLED: 'Ask the person who cancelled it before you go on.',
  JOB_FAILED: 'Read the log of the CI run and remove the cause.',
  RUN_LOST: 'Read the log of the CI run: its runner may have been stopped, or may not reach this service.',
  RUN_NOT_STARTED: 'Look at the queue of the CI, or start a runner of the pool.',
  RUN_TIME_LIMIT:
    'Read the log of the CI run. If it needs more time, set `run.timeout_minutes` on the base branch.',
  WORKFLOW_NOT_FOUND:
    'Commit the file that `infrastate ci github` or `infrastate ci gitlab` writes to the default branch, or correct `run.workflow` on the base branch.',
  DISPATCH_REFUSED:
    'If a permission is missing, grant it: `actions: write` for the app of GitHub, a token with the role Maintainer at GitLab. If the branch is older than the workflow file, merge the default branch into it. If the workflow file is a symbolic link, replace it with a copy.',
  DISPATCH_FAILED: 'Try again when the code host answers.',
  GITLAB_INPUTS_MISSING_DEFAULTS:
    'Use the file of `infrastate ci gitlab`. If `.gitlab-ci.yml` includes that file, copy its `spec:` with all inputs to the top of `.gitlab-ci.yml` too, and pass the inputs in the `include`.',
  UNLINKED: 'Link the installation to a tenant.',
};

/** What to change, and then to write; empty when there is nothing to do. */
export function remedyFor(errorId: string, runType: string): string[] {
  const remedy = Object.entries(REMEDIES).find(([id]) => id === errorId)?.[1];
  if (remedy === undefined) return [];
  return [`**What to do**: ${remedy} ${nextCommand(errorId, runType)}`];
}

/** An apply that was lost may have changed something; its directories stay held. */
function nextCommand(errorId: string, runType: string): string {
  if (runType !== 'apply') return 'Then comment `infrastate plan`.';
  const mayHaveBegun = ['CANCELLED', 'JOB_FAILED', 'RUN_LOST', 'RUN_TIME_LIMIT'].includes(errorId);
  return mayHaveBegun
    ? 'If the apply had begun, check what it has done, comment `infrastate unlock`, then `infrastate plan`; otherwise comment `infrastate apply`.'
    : 'Then comment `infrastate apply`.';
}
