import type { UnitOfWork } from '../../../platform/database/index.js';
import { DEFAULT_CONFIG, dirspaceKey } from '../../repo-config/index.js';
import type { CodeHosts, PullRequestsStore } from '../../vcs/index.js';
import { ApplyRequirementChecks } from '../planning/apply-requirements.service.js';
import type { Change, Changes } from '../planning/changes.js';
import type { OpenGates } from '../planning/open-gates.js';
import type { Permissions } from '../planning/permissions.service.js';
import type { PullRequestPlans } from '../planning/pull-request-plans.js';
import type { RunCreation } from '../planning/run-creation.js';
import type { Holds } from '../runs/holds.store.js';
import type { RunProgress } from '../runs/run-progress.queries.js';
import type { Runs } from '../runs/runs.store.js';
import type { WaitingDrift } from '../runs/waiting-drift.js';
import { ApplyCommand, type ApplyRequest } from './apply.command.js';
import { UnlockPermissions } from './unlock-permissions.js';

const HOSTILE = 'x`\n@team';
const CODE = "`x' @team`";
const PLACE = `${CODE} (${CODE})`;
const dirspace = { dir: HOSTILE, workspace: HOSTILE, tags: [], environment: undefined, lockPolicy: 'apply' };
const change = {
  place: { repository: { id: 'r', defaultBranch: 'main' }, installation: { id: 'i', provider: 'github' } },
  pullRequest: { number: 1, sha: 'head', state: 'open', baseBranch: 'main', updatedAt: new Date(0) },
  ...{ config: DEFAULT_CONFIG, base: DEFAULT_CONFIG },
} as unknown as Change;
const request: ApplyRequest = {
  ...{ tagQuery: '', username: 'ada', trigger: 'comment:1' },
  ...{ isForced: true, appliesPlan: true },
};

/** Applies where every name is one that a pull request may choose. */
function applying(holds: object): ApplyCommand {
  const plan = { runId: 'p', state: 'success', completedAt: new Date(10), sayingAt: null, saidAt: null };
  const progress = new Map([[dirspaceKey(dirspace), { plan: { ...plan, hasChanges: true } }]]);
  const runs = { askedBy: async () => [], lockLink: async () => undefined };
  return new ApplyCommand(
    { run: async (work: () => Promise<unknown>) => work() } as unknown as UnitOfWork,
    { progressOf: async () => progress, ready: () => [dirspace] } as unknown as PullRequestPlans,
    { hasApplyUnderWay: async () => false } as unknown as RunProgress,
    { reasons: async () => [] } as unknown as ApplyRequirementChecks,
    { lockPullRequest: async () => undefined, givenUp: async () => [], ...holds } as unknown as Holds,
    {} as RunCreation,
    runs as unknown as Runs,
    { endIn: async () => undefined } as unknown as WaitingDrift,
  );
}

describe('A refusal shows the names of a pull request as code that they cannot leave', () => {
  it('for an apply that was given up', async () => {
    const givenUp = async () => [{ ...dirspace, errorId: 'JOB_LOST', completedAt: new Date(0) }];
    await expect(applying({ givenUp }).apply(change, request)).rejects.toThrow(
      `the last apply of ${PLACE} was given up`,
    );
  });

  it.each([
    [{ pullNumber: 7 }, `${PLACE} is held by #7`],
    [{ pullNumber: 7, isUnheld: true }, `an apply of ${PLACE} for #7`],
    [{ pullNumber: null, runState: 'running', errorId: null }, `drift of ${PLACE}`],
  ])('for what is in the way: %j', async (held, text) => {
    const acquire = async () => [{ ...dirspace, createdAt: new Date(0), ...held }];
    await expect(applying({ acquire }).apply(change, request)).rejects.toThrow(text);
  });

  it('for a plan that nobody has read', async () => {
    const head = { sha: 'head', since: new Date(0) };
    const comment = { createdAt: new Date(0), receivedAt: new Date(0), head };
    await expect(applying({}).apply(change, { ...request, appliesPlan: false, comment })).rejects.toThrow(
      `a newer plan of ${PLACE} has appeared`,
    );
  });

  it('for a gate', async () => {
    const gates = { list: async () => [{ token: HOSTILE, name: null, missing: `needs ${HOSTILE}` }] };
    const checks = new ApplyRequirementChecks(
      { of: () => ({}) } as unknown as CodeHosts,
      gates as unknown as OpenGates,
      {} as Permissions,
      {} as PullRequestsStore,
    );
    expect(await checks.reasons(change, [])).toEqual([
      `the gate ${CODE} needs x\\\` @\u200bteam (\`infrastate gate approve x' @team\`)`,
    ]);
  });

  it('for the branch that says who may unlock', async () => {
    const permissions = new UnlockPermissions(
      { configOf: async () => DEFAULT_CONFIG } as unknown as Changes,
      { isOneOf: async () => false } as unknown as Permissions,
      { basesOfApplies: async () => [HOSTILE] } as unknown as Runs,
    );
    await expect(permissions.permit('ada', change, { numbers: [1], reconciled: [] })).rejects.toThrow(
      `of ${CODE} names`,
    );
  });
});
