import { DEFAULT_CONFIG } from '../../repo-config/index.js';
import type { HostPullRequest, HostReview } from '../../vcs/index.js';
import { approvers, missingReviews, unmetRequirements } from './apply-requirements.rules.js';
import { missingApprovals, toPerson } from './gate.rules.js';

const pullRequest = (fields: Partial<HostPullRequest> = {}): HostPullRequest => ({
  number: 1,
  title: '',
  username: 'author',
  branch: 'topic',
  sha: 'head',
  baseBranch: 'main',
  baseSha: 'base',
  state: 'open',
  isDraft: false,
  isFork: false,
  isMergeable: true,
  mergedAt: null,
  mergedSha: null,
  closedAt: null,
  createdAt: new Date(0),
  updatedAt: new Date(0),
  ...fields,
});
const requirements = DEFAULT_CONFIG.apply_requirements;
const status = (context: string, state: 'pending' | 'success' | 'failure') => ({
  context,
  state,
  description: '',
});

describe('apply requirements', () => {
  it.each<[string, Partial<HostPullRequest>, number]>([
    ['nothing', {}, 0],
    ['conflicts', { isMergeable: false }, 1],
    ['conflicts that are not known yet', { isMergeable: null }, 1],
    ['a draft', { isDraft: true }, 1],
    ['a draft with conflicts', { isDraft: true, isMergeable: false }, 2],
    ['a closed one', { state: 'closed' }, 1],
    ['a merged one', { state: 'merged' }, 1],
  ])('name every reason: %s', (_, fields, count) => {
    expect(unmetRequirements(requirements, pullRequest(fields), [])).toHaveLength(count);
  });

  it('ask for status checks of others only, but those that are ignored', () => {
    const statuses = [
      status('infrastate apply', 'pending'),
      status('infrastate plan: a default', 'failure'),
      status('lint', 'failure'),
      status('build/x', 'pending'),
    ];
    expect(unmetRequirements(requirements, pullRequest(), statuses)).toEqual([
      'status checks have not succeeded: `lint`, `build/x`',
    ]);
    const ignoring = {
      ...requirements,
      status_checks: { enabled: true, ignore_matching: ['build/*', 'lint'] },
    };
    expect(unmetRequirements(ignoring, pullRequest(), statuses)).toEqual([]);
  });

  it('let a merged pull request be applied only with `apply_after_merge`', () => {
    const after = { ...requirements, apply_after_merge: { enabled: true } };
    expect(unmetRequirements(after, pullRequest({ state: 'merged' }), [])).toEqual([]);
    expect(unmetRequirements(after, pullRequest(), [])).toHaveLength(1);
  });

  it('count the newest review of each person, of this commit, of others than the author', () => {
    let minute = 0;
    const review = (
      username: string,
      state: HostReview['state'],
      sha: string | null = 'head',
    ): HostReview => ({
      username,
      state,
      sha,
      submittedAt: new Date(minute++ * 60_000),
    });
    expect(
      approvers(
        [
          review('ada', 'approved'),
          review('Ada', 'commented'),
          review('bob', 'approved'),
          review('bob', 'dismissed'),
          review('cy', 'approved', 'older'),
          review('author', 'approved'),
          review('dan', 'changes-requested'),
          review('dan', 'approved', null),
        ],
        pullRequest(),
      ),
    ).toEqual(['ada', 'dan']);
  });
});

describe('names that a pull request chooses', () => {
  it.each([
    ['x`\n@team', "x' @team", 'x\\` @\u200bteam'],
    ['&commat;team', '&commat;team', '&amp;commat;team'],
  ])('mention nobody: %j', (name, code, text) => {
    expect(unmetRequirements(requirements, pullRequest(), [status(name, 'failure')])).toEqual([
      `status checks have not succeeded: \`${code}\``,
    ]);
    const approved = { ...requirements.approved, enabled: true, any_of_count: 2 };
    const tally = { missing: [name], eligible: [name], pushedBy: name };
    expect(missingReviews(approved, tally)).toEqual([
      `an approval of \`${code}\` is missing`,
      `2 more approvals needed (${text} pushed the newest commit)`,
    ]);
  });
});

describe('approvals that are asked for', () => {
  const asked = (fields: Partial<typeof requirements.approved>) => ({
    ...requirements.approved,
    enabled: true,
    ...fields,
  });
  const unknown = undefined;
  it.each<[string, Partial<typeof requirements.approved>, string[], string | undefined, string[]]>([
    ['one of anybody', { any_of_count: 1 }, [], 'eve', ['1 more approval needed']],
    ['one, of who pushed last', { any_of_count: 1 }, ['eve'], 'eve', []],
    [
      'two, one of who pushed last',
      { any_of_count: 2 },
      ['ada', 'Eve'],
      'eve',
      ['1 more approval needed (eve pushed the newest commit)'],
    ],
    ['two, of others', { any_of_count: 2 }, ['ada', 'bob'], 'eve', []],
    ['two, and who pushed last', { any_of_count: 2 }, ['ada', 'bob', 'eve'], 'eve', []],
    ['two, and none there', { any_of_count: 2 }, [], unknown, ['2 more approvals needed']],
    [
      'two, nobody knows who pushed',
      { any_of_count: 2 },
      ['ada', 'bob'],
      unknown,
      [
        '1 more approval needed (the provider does not say who pushed the newest commit, so one approval may be theirs)',
      ],
    ],
    ['three for two, nobody knows who pushed', { any_of_count: 2 }, ['ada', 'bob', 'cy'], unknown, []],
    ['all who are named', { all_of: ['user:eve'], any_of_count: 1 }, ['eve'], 'eve', []],
    [
      'all who are named, alone',
      { all_of: ['user:eve'], any_of_count: 2 },
      ['eve'],
      'eve',
      ['an approval of somebody else is missing (eve pushed the newest commit)'],
    ],
    ['all who are named, and another', { all_of: ['user:eve'], any_of_count: 2 }, ['eve', 'ada'], 'eve', []],
  ])('%s', (_, fields, by, pushedBy, expected) => {
    expect(missingReviews(asked(fields), { missing: [], eligible: by, pushedBy })).toEqual(expected);
  });

  it('name who is missing, and how many more', () => {
    const fields = { all_of: ['team:ops', 'user:eve'], any_of: ['team:devs'], any_of_count: 2 };
    const tally = { missing: ['team:ops'], by: ['ada', 'eve'], eligible: ['ada'], pushedBy: 'bob' };
    expect(missingReviews(asked(fields), tally)).toEqual([
      'an approval of `team:ops` is missing',
      '1 more approval needed',
    ]);
  });
});

describe('gates', () => {
  const teams = { 'team:x': ['alice', 'bob'], 'role:write': ['alice', 'carol'] };
  const isOneOf = async (username: string, entry: string) =>
    Object.entries(teams).some(([team, members]) => team === entry && members.includes(username));

  it.each([
    [{ allOf: [], anyOf: [], anyOfCount: 1 }, [], 'needs 1 of anybody'],
    [{ allOf: [], anyOf: [], anyOfCount: 1 }, ['x'], undefined],
    [{ allOf: [], anyOf: [], anyOfCount: 2 }, ['x', 'X'], 'needs 1 of anybody'],
    [{ allOf: ['a', 'user:b'], anyOf: [], anyOfCount: 1 }, ['A'], 'needs b'],
    [{ allOf: ['a', 'user:b'], anyOf: [], anyOfCount: 1 }, ['a', 'b'], undefined],
    [{ allOf: [], anyOf: ['a', 'b', 'c'], anyOfCount: 2 }, ['b', 'x'], 'needs 1 of a, b, c'],
    [{ allOf: ['d'], anyOf: ['a', 'b'], anyOfCount: 1 }, ['a', 'd'], undefined],
    // One person is one, however often an entry names them.
    [{ allOf: [], anyOf: ['user:alice', 'team:x'], anyOfCount: 2 }, ['alice'], 'needs 1 of alice, team:x'],
    [{ allOf: [], anyOf: ['alice', 'user:Alice', 'role:write'], anyOfCount: 2 }, ['alice'], 'needs 1 of'],
    [{ allOf: [], anyOf: ['user:alice', 'team:x'], anyOfCount: 2 }, ['alice', 'bob'], undefined],
    [{ allOf: [], anyOf: ['team:x'], anyOfCount: 2 }, ['alice', 'bob'], undefined],
    [{ allOf: ['team:x'], anyOf: ['role:write'], anyOfCount: 1 }, ['bob'], 'needs 1 of role:write'],
    [{ allOf: ['team:x'], anyOf: [], anyOfCount: 1 }, ['carol'], 'needs team:x'],
    [{ allOf: [], anyOf: ['*'], anyOfCount: 2 }, ['x'], 'needs 1 of anybody'],
    [{ allOf: [], anyOf: ['*'], anyOfCount: 2 }, ['x', 'y'], undefined],
  ])('%j approved by %j: %s', async (gate, by, expected) => {
    const missing = await missingApprovals(gate, by, isOneOf);
    if (expected === undefined) expect(missing).toBeUndefined();
    else expect(missing).toContain(expected);
  });

  it('take a name as that of a user, and everybody as everybody', () => {
    expect(['a', 'user:a', 'team:a', 'role:read', '*'].map(toPerson)).toEqual([
      'user:a',
      'user:a',
      'team:a',
      'role:read',
      '*',
    ]);
  });
});
