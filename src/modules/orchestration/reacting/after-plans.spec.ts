import { DEFAULT_CONFIG } from '../../repo-config/index.js';
import type { CodeHosts } from '../../vcs/index.js';
import type { ApplyCommand } from '../commands/apply.command.js';
import { CommandRefused, NothingToDo } from '../commands/command-context.js';
import type { WorkManifestEntity } from '../entities/work-manifest.entity.js';
import type { ApplyRequirementChecks } from '../planning/apply-requirements.service.js';
import type { AutomaticChanges } from '../planning/automatic-changes.js';
import type { Change } from '../planning/changes.js';
import type { Permissions } from '../planning/permissions.service.js';
import type { Replies } from '../reporting/replies.js';
import type { Gates } from '../runs/gates.store.js';
import { AfterPlans, reviewersOf } from './after-plans.js';

interface Case {
  author?: string | null;
  pushedBy?: string | undefined;
  state?: 'open' | 'closed' | 'merged';
  autoapply?: boolean;
  provider?: 'github' | 'gitlab';
}

describe('After a plan with `autoapply`', () => {
  let applied: Record<string, unknown>[];
  let refusal: Error | undefined;
  let said: unknown[];

  beforeEach(() => {
    applied = [];
    refusal = undefined;
    said = [];
  });

  async function continueWith({
    author = 'boss',
    pushedBy,
    state = 'open',
    autoapply = true,
    provider = 'github',
  }: Case) {
    const plans = new AfterPlans(
      {} as CodeHosts,
      { list: async () => [] } as unknown as Gates,
      {
        isOneOf: async (_: unknown, name: string) => ['boss', 'chief'].includes(name),
      } as unknown as Permissions,
      {
        apply: async (_: unknown, request: Record<string, unknown>) => {
          if (refusal) throw refusal;
          applied.push(request);
        },
      } as unknown as ApplyCommand,
      { findPusher: async () => pushedBy } as unknown as ApplyRequirementChecks,
      { say: async (...of: unknown[]) => void said.push(of.slice(1)) } as unknown as Replies,
      {} as AutomaticChanges,
    );
    const change = {
      place: { repository: { id: 'r' }, installation: { provider } },
      pullRequest: { number: 1, sha: 'sha', username: author, state },
      config: DEFAULT_CONFIG,
      changed: [{ autoapply }, { autoapply: false }],
    } as unknown as Change;
    await plans.continueWith(change, { id: 'run' } as WorkManifestEntity);
  }

  it.each<[string, Case]>([
    ['its author', {}],
    ['its author, who pushed', { pushedBy: 'boss' }],
    ['its author, who pushed to GitLab', { provider: 'gitlab', pushedBy: 'boss' }],
    ['its author, where somebody pushed who may apply, too', { pushedBy: 'chief' }],
  ])('applies for %s', async (_, of) => {
    await continueWith(of);
    expect(applied).toEqual([
      expect.objectContaining({
        username: 'boss',
        trigger: 'autoapply:run',
        isForced: false,
        appliesPlan: false,
      }),
    ]);
    const [{ only } = {}] = applied as { only?: (dirspace: { autoapply: boolean }) => boolean }[];
    expect([only?.({ autoapply: true }), only?.({ autoapply: false })]).toEqual([true, false]);
  });

  it.each<[string, Case]>([
    ['somebody else has pushed who may not apply', { pushedBy: 'eve' }],
    ['GitLab does not say who has pushed', { provider: 'gitlab' }],
    ['the author may not apply, whoever pushed', { author: 'eve', pushedBy: 'boss' }],
    ['nobody knows the author', { author: null }],
    ['the pull request is closed', { state: 'closed' }],
    ['the pull request is merged', { state: 'merged' }],
    ['no directory that changed wants it', { autoapply: false }],
  ])('applies nothing when %s', async (_, of) => {
    await continueWith(of);
    expect(applied).toEqual([]);
  });

  it('says once what stands in the way', async () => {
    refusal = new CommandRefused('Not applied:\n- held by #7');
    await expect(continueWith({})).resolves.toBeUndefined();
    expect(said).toEqual([
      [1, { key: 'autoapply:run', text: expect.stringMatching(/^`autoapply`: Not applied:\n- held by #7/) }],
    ]);
  });

  it('says nothing when there is nothing to apply', async () => {
    refusal = new NothingToDo('nothing is planned with changes');
    await expect(continueWith({})).resolves.toBeUndefined();
    expect(said).toEqual([]);
  });

  it('does not hide what fails', async () => {
    refusal = new Error('no connection');
    await expect(continueWith({})).rejects.toThrow('no connection');
  });
});

describe('Reviewers that gates ask for', () => {
  it('are users and teams without their prefixes, each once, and never the author', () => {
    const people = [
      'user:alice',
      'Alice',
      'bob',
      'team:ops',
      'team:ops',
      'user:AUTHOR',
      'role:admin',
      '*',
      'user:',
    ];
    expect(reviewersOf(people, 'author')).toEqual({ usernames: ['Alice', 'bob'], teams: ['ops'] });
    expect(reviewersOf(['author'], null)).toEqual({ usernames: ['author'], teams: [] });
  });
});
