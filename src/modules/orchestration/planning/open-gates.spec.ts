import type { HostPlace } from '../../vcs/index.js';
import type { Gates } from '../runs/gates.store.js';
import { OpenGates } from './open-gates.js';
import type { Permissions } from './permissions.service.js';

describe('Gates of a commit', () => {
  let asked: string[];
  beforeEach(() => {
    asked = [];
  });

  function list(gates: object[], members: Record<string, string[]> = {}) {
    const defaults = { name: null, allOf: [], anyOf: [], anyOfCount: 1, approvedBy: ['ada', 'bob'] };
    const stored = { list: async () => gates.map((gate, n) => ({ ...defaults, token: `g${n}`, ...gate })) };
    const permissions = {
      isOneOf: async (_: unknown, username: string, [entry = '']: string[]) => {
        asked.push(`${username} ${entry}`);
        return members[entry]?.includes(username) ?? false;
      },
    };
    return new OpenGates(stored as unknown as Gates, permissions as unknown as Permissions).list(
      {} as HostPlace,
      { repositoryId: 'r', pullNumber: 1, sha: 's' },
    );
  }

  it('ask the provider once about each person and entry', async () => {
    const gate = { anyOf: ['team:ops', 'role:admin'], anyOfCount: 2 };
    expect(await list([gate, gate, gate], { 'team:ops': ['ada', 'bob'] })).toEqual([]);
    expect(asked).toEqual(['ada team:ops', 'bob team:ops', 'ada role:admin', 'bob role:admin']);
  });

  it('stop at the first entry that is missing', async () => {
    expect(await list([{ allOf: ['team:a', 'team:b', 'team:c'] }], { 'team:a': ['ada'] })).toMatchObject([
      { missing: 'needs team:b' },
    ]);
    expect(asked).toEqual(['ada team:a', 'bob team:a', 'ada team:b', 'bob team:b']);
  });

  it('wait, and say so, when they name too many teams and roles', async () => {
    const anyOf = Array.from({ length: 21 }, (_, n) => `team:t${n}`);
    const members = Object.fromEntries(anyOf.map((entry) => [entry, ['ada']]));
    const open = await list(
      [{ anyOf: anyOf.slice(0, 20) }, { anyOf: anyOf.slice(20) }, { anyOf: ['team:t3'] }],
      members,
    );
    expect(open).toEqual([
      {
        token: 'g1',
        name: null,
        missing: 'waits: the gates of a commit must not name more than 20 teams and roles',
      },
    ]);
    expect(asked).toHaveLength(40);
  });
});
