import type { StateView } from '@infrastate/sdk';
import { revisionHash } from '../configuration/canonical-json.js';
import { ServiceFailure } from '../failure.js';
import type { Calls } from './calls.js';
import { fetchStoredNodes } from './stored-nodes.js';

const STATE = { id: 's' } as StateView;
const NODES = [
  { key: 'a.one', hash: '1' },
  { key: 'a.two', hash: '2' },
];

describe('The hashes of the applied configuration', () => {
  /** A page a node. */
  const service = {
    get: async (url: string) => {
      const at = Number(/&page=(\d)/.exec(url)?.[1] ?? 0);
      return { results: [NODES[at]], ...(at === 0 ? { next_page: '1' } : {}) };
    },
  } as unknown as Calls;

  it('are read page by page', async () => {
    const found = await fetchStoredNodes(service, STATE, revisionHash(NODES));
    expect([...(found ?? [])]).toEqual([
      ['a.one', '1'],
      ['a.two', '2'],
    ]);
  });

  it('are not used when somebody has applied meanwhile', async () => {
    expect(await fetchStoredNodes(service, STATE, revisionHash(NODES.slice(1)))).toBeUndefined();
  });

  it('are unknown where an older service does not list them; other failures are thrown', async () => {
    const failing = (status: number) =>
      ({ get: () => Promise.reject(new ServiceFailure(status, 'X', 'x')) }) as unknown as Calls;
    expect(await fetchStoredNodes(failing(404), STATE, 'h')).toBeUndefined();
    await expect(fetchStoredNodes(failing(403), STATE, 'h')).rejects.toMatchObject({ status: 403 });
  });
});
