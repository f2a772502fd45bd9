import type { Config } from '../../../platform/config/index.js';
import type { UnitOfWork } from '../../../platform/database/index.js';
import type { RunQueue } from '../runs/run-queue.store.js';
import type { WorkTokens } from '../runs/work-tokens.js';
import type { RunnerPoolEntity } from '../entities/run-artifact.entities.js';
import { RunnerClaims } from './runner-claims.js';

describe('The claim of a run', () => {
  const now = new Date('2026-01-31T10:00:00Z');
  let taken: number;
  let returned: unknown[];
  let seen: unknown[];
  const pool = { id: 'p', tenantId: 't', name: 'pool', lastSeenAt: null } as RunnerPoolEntity;

  /** `take` answers what the queue has. */
  function claimsOf(take: () => string | undefined): RunnerClaims {
    [taken, returned, seen] = [0, [], []];
    const queue = {
      take: async () => {
        taken += 1;
        return take();
      },
      giveBack: async (...run: unknown[]) => void returned.push(run),
    };
    return new RunnerClaims(
      { create: () => 'token' } as unknown as WorkTokens,
      queue as unknown as RunQueue,
      {
        manager: { update: async (...[, , row]: [unknown, unknown, object]) => void seen.push(row) },
      } as unknown as UnitOfWork,
      { get: () => 'https://api.example' } as unknown as Config,
      { now: () => now },
    );
  }

  const asking = (waitSeconds: number, protocol = 1) => ({
    wait_seconds: waitSeconds,
    runner: { version: '0.1.0', protocol },
  });

  it('is refused to a runner of another protocol, which would take a run and not begin it', async () => {
    const claims = claimsOf(() => 'run');
    for (const protocol of [0, 2])
      await expect(
        claims.claim(pool, asking(0, protocol), new AbortController().signal),
      ).rejects.toMatchObject({ id: 'RUNNER_TOO_OLD', status: 400 });
    expect(taken).toBe(0);
  });

  it('is answered with a work token', async () => {
    const claims = claimsOf(() => 'run');
    expect(await claims.claim(pool, asking(0), new AbortController().signal)).toEqual({
      work_token: 'token',
      api_base_url: 'https://api.example',
    });
    expect(returned).toEqual([]);
  });

  it('records that the pool was seen, and not with each claim of a busy one', async () => {
    const claims = claimsOf(() => 'run');
    const { signal } = new AbortController();
    for (const secondsAgo of [6, 4])
      await claims.claim(
        { ...pool, lastSeenAt: new Date(now.getTime() - secondsAgo * 1000) },
        asking(0),
        signal,
      );
    expect(seen).toEqual([{ lastSeenAt: now }]);
  });

  it('takes nothing once the runner has left', async () => {
    const left = new AbortController();
    const claims = claimsOf(() => undefined);
    const claimed = claims.claim(pool, asking(30), left.signal);
    setTimeout(() => left.abort(), 20);
    expect(await claimed).toBeUndefined();
    expect(taken).toBe(1);
  });

  it('gives a run back that was taken while the runner left', async () => {
    const left = new AbortController();
    const claims = claimsOf(() => {
      left.abort();
      return 'run';
    });
    expect(await claims.claim(pool, asking(0), left.signal)).toBeUndefined();
    expect(returned).toEqual([['run', now, null]]);
  });
});
