import { DEFAULT_CONFIG } from '../../repo-config/index.js';
import type { CommitStatus } from '../../vcs/index.js';
import type { Change } from '../planning/changes.js';
import { CommitStatuses } from './commit-statuses.service.js';

const DIRS = ['a', 'b', 'c', 'd', 'e', 'f'];

describe('Statuses of a commit', () => {
  let planned: Set<string>;
  let shown: Map<string, CommitStatus>;
  let requests: number;
  let answer: (status: CommitStatus) => Promise<void>;

  beforeEach(() => {
    planned = new Set();
    shown = new Map();
    requests = 0;
    answer = () => Promise.resolve();
  });

  function refresh(): Promise<void> {
    const statuses = new CommitStatuses(
      {
        of: () => ({
          setStatus: async (_place: unknown, _sha: string, status: CommitStatus) => {
            requests += 1;
            await answer(status);
            shown.set(status.context, status);
          },
        }),
      } as never,
      {
        of: async () =>
          new Map(
            DIRS.map((dir) => [
              JSON.stringify([dir, 'default']),
              { plan: { state: planned.has(dir) ? 'success' : 'running' }, apply: undefined },
            ]),
          ),
        givenUp: async () => new Map(),
        newest: async () => new Map(),
      } as never,
      { get: () => 'https://infrastate.example' } as never,
    );
    const change = {
      place: {
        repository: { id: 'r', providerId: '1' },
        installation: { provider: 'github', installationId: '1' },
      },
      pullRequest: { number: 1, sha: 'aaaa', baseBranch: 'main' },
      config: DEFAULT_CONFIG,
      changed: DIRS.map((dir) => ({ dir, workspace: 'default' })),
    } as unknown as Change;
    return statuses.refresh(change);
  }

  it('are those of the database in the end, also when an older worker sets its statuses last', async () => {
    planned = new Set(['a']);
    let release = (): void => undefined;
    let reached = (): void => undefined;
    const isReached = new Promise<void>((resolve) => (reached = resolve));
    const isReleased = new Promise<void>((resolve) => (release = resolve));
    answer = async (status) => {
      if (status.context !== 'infrastate plan' || status.state !== 'pending') return;
      reached();
      await isReleased;
    };
    const older = refresh();
    await isReached;
    planned = new Set(DIRS);
    await refresh();
    release();
    await older;
    const states = [...shown].map(([context, { state, description }]) => [context, state, description]);
    expect(states.sort()).toEqual([
      ['infrastate apply', 'pending', 'waiting'],
      ['infrastate plan', 'success', '6 directories planned'],
      ...DIRS.map((dir) => [`infrastate plan: ${dir} default`, 'success', 'success']),
    ]);
  });

  it('cost one request each when nothing has changed meanwhile', async () => {
    await refresh();
    expect(requests).toBe(2 + DIRS.length);
  });
});
