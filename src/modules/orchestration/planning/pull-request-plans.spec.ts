import type { UnitOfWork } from '../../../platform/database/index.js';
import { type Dirspace, dirspacesOf, parseRepoConfig } from '../../repo-config/index.js';
import type { Holds } from '../runs/holds.store.js';
import type { PlanRetirement } from '../runs/plan-retirement.js';
import type { RunProgress } from '../runs/run-progress.queries.js';
import type { Runs } from '../runs/runs.store.js';
import type { Change } from './changes.js';
import { PullRequestPlans } from './pull-request-plans.js';
import type { RunCreation } from './run-creation.js';

const REQUEST = { trigger: 'auto:a', username: 'ada' };

describe('plans without a comment', () => {
  function aChange(text: string, isDraft: boolean): Change {
    const changed = dirspacesOf(['a', 'b'], parseRepoConfig(text, 'config.yml'));
    const pullRequest = { number: 7, sha: 'a', state: 'open', isDraft, updatedAt: new Date(0) };
    return {
      place: { installation: { id: 'i' }, repository: { id: 'r' } },
      pullRequest,
      changed,
      dependencies: new Map(),
      awaits: undefined,
    } as unknown as Change;
  }

  function plansInto(planned: string[]): PullRequestPlans {
    const creation = {
      forPullRequest: async (_change: Change, dirspaces: readonly Dirspace[]) => {
        planned.push(...dirspaces.map(({ dir }) => dir));
        return ['run'];
      },
    };
    return new PullRequestPlans(
      { run: (task: () => Promise<unknown>) => task() } as unknown as UnitOfWork,
      { lockPullRequest: async () => undefined } as unknown as Holds,
      { endPlans: async () => undefined, lockLink: async () => true } as unknown as Runs,
      creation as unknown as RunCreation,
      { of: async () => new Map() } as unknown as RunProgress,
      { retireOthers: async () => undefined } as unknown as PlanRetirement,
    );
  }

  it.each([
    ['', false, ['a', 'b']],
    ['', true, ['a', 'b']],
    ['when_modified: {autoplan: false}', false, []],
    ['dirs: {a: {when_modified: {autoplan: false}}}', false, ['b']],
    ['when_modified: {autoplan: false}\ndirs: {a: {when_modified: {autoplan: true}}}', false, ['a']],
    ['when_modified: {autoplan_draft: false}', true, []],
    ['when_modified: {autoplan_draft: false}', false, ['a', 'b']],
    ['dirs: {a: {when_modified: {autoplan_draft: false}}}', true, ['b']],
    ['when_modified: {autoplan: false, autoplan_draft: true}', true, []],
  ])('are made as `%s` says (draft: %s): %j', async (text, isDraft, expected) => {
    const planned: string[] = [];
    const ids = await plansInto(planned).plan(aChange(text, isDraft), REQUEST);
    expect([planned, ids]).toEqual([expected, expected.length === 0 ? [] : ['run']]);
  });

  it('are no condition for a plan that somebody asks for', async () => {
    const planned: string[] = [];
    const change = aChange('when_modified: {autoplan: false, autoplan_draft: false}', true);
    await plansInto(planned).planAgain(change, change.changed, REQUEST);
    expect(planned).toEqual(['a', 'b']);
  });
});
