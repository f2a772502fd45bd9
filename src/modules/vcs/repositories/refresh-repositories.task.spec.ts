import type { Events } from '../../../platform/events/index.js';
import type { TaskRun } from '../../tasks/index.js';
import type { CodeHosts } from '../hosts/code-hosts.js';
import type { InstallationQueries } from '../installations/installations.queries.js';
import { vcsErrors } from '../vcs.errors.js';
import { RefreshRepositories } from './refresh-repositories.task.js';
import type { RepositoriesStore } from './repositories.store.js';
import type { RepositorySync } from './repository-sync.service.js';

describe('A refresh of repositories that the code host no longer lists', () => {
  let asked: string[];

  /** `answer`: what the code host says of each that it does not list any more. */
  function refreshOf(count: number, answer: (id: number) => 'gone' | 'there' | Error): Promise<unknown> {
    asked = [];
    const unseen = Array.from({ length: count }, (_, n) => ({ providerId: String(n) }));
    const sync = async (_installation: unknown, providerId: string): Promise<object | undefined> => {
      asked.push(providerId);
      const said = answer(Number(providerId));
      if (said instanceof Error) throw said;
      return said === 'there' ? {} : undefined;
    };
    const refresh = new RefreshRepositories(
      { of: () => ({ listRepositories: async function* () {} }) } as unknown as CodeHosts,
      {
        find: async () => ({ id: 'i', tenantId: 't', provider: 'github' }),
      } as unknown as InstallationQueries,
      { listUnseen: async () => unseen } as unknown as RepositoriesStore,
      { sync } as unknown as RepositorySync,
      { publish: async () => undefined } as unknown as Events,
    );
    const signal = new AbortController().signal;
    return refresh.refresh({ payload: {}, tenantId: 't', signal } as unknown as TaskRun);
  }

  it('removes those that it confirms gone, whatever it refuses to say of others', async () => {
    const result = await refreshOf(6, (id) => {
      if (id % 2 === 0) return vcsErrors.PROVIDER_REFUSED();
      return id === 5 ? 'there' : 'gone';
    });
    expect(result).toEqual({ repositories: 0, written: 0, removed: 2, refused: 3 });
    expect(asked).toHaveLength(6);
  });

  it('says nothing of refusals where there are none', async () => {
    expect(await refreshOf(2, () => 'gone')).toEqual({ repositories: 0, written: 0, removed: 2 });
  });

  it('ends when the code host refuses twenty in a row, or does not answer', async () => {
    await expect(refreshOf(50, () => vcsErrors.PROVIDER_REFUSED())).rejects.toMatchObject({
      id: 'PROVIDER_REFUSED',
    });
    expect(asked).toHaveLength(20);
    await expect(refreshOf(50, () => vcsErrors.PROVIDER_UNAVAILABLE())).rejects.toMatchObject({
      id: 'PROVIDER_UNAVAILABLE',
    });
    expect(asked).toHaveLength(1);
    // Refusals of single repositories in between do not add up.
    const mixed = await refreshOf(60, (id) => (id % 2 === 0 ? vcsErrors.PROVIDER_REFUSED() : 'gone'));
    expect(mixed).toMatchObject({ removed: 30, refused: 30 });
  });
});
