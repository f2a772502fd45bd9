import { cutDown, grantable, parseTokenCapabilities, reachesProvider } from './token-capabilities.rules.js';

describe('Capabilities of refresh tokens', () => {
  it('reads names and limits, with both words for a provider', () => {
    const list = ['kv_store_read', { name: 'installation_id', id: '7' }, { name: 'vcs', vcs: 'vcs_a' }];
    expect(parseTokenCapabilities(list)).toEqual([
      'kv_store_read',
      { name: 'installation_id', id: '7' },
      { name: 'vcs', vcs: 'github' },
    ]);
    for (const bad of [
      'x',
      ['root'],
      [{ name: 'vcs', vcs: 'constructor' }],
      [{ name: 'installation_id' }],
      [null],
    ]) {
      expect(parseTokenCapabilities(bad)).toBeUndefined();
    }
  });

  it('reads no more than a token has room for', () => {
    const limits = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ name: 'installation_id', id: `${n}`.padStart(100, '0') }));
    expect(parseTokenCapabilities(limits(30))).toHaveLength(30);
    expect(parseTokenCapabilities(limits(100))).toBeUndefined();
  });

  it("cuts limits down to the creator's, and refuses when none of them is left", () => {
    const own = [{ name: 'vcs', vcs: 'gitlab' }, 'kv_store_read'] as const;
    const github = { name: 'vcs', vcs: 'github' } as const;
    const seven = { name: 'installation_id', id: '7' } as const;
    // Several limits of a kind mean any of them: to add the creator's would widen the token.
    expect(grantable(['kv_store_read', github], own)).toBeUndefined();
    expect(grantable(['kv_store_read', github, own[0]], own)).toEqual(['kv_store_read', own[0]]);
    expect(grantable(['kv_store_read', seven], own)).toEqual(['kv_store_read', seven, own[0]]);
    expect(grantable(['kv_store_read'], own)).toEqual(['kv_store_read', own[0]]);
    expect([reachesProvider(own, 'gitlab'), reachesProvider(own, 'github')]).toEqual([true, false]);
    expect(reachesProvider(['kv_store_read'], 'github')).toBe(true);
  });

  it('are cut down to what the owner holds later', () => {
    const limit = { name: 'vcs', vcs: 'gitlab' } as const;
    expect(cutDown(['kv_store_read', 'kv_store_system_read', limit], ['kv_store_read'])).toEqual([
      'kv_store_read',
      limit,
    ]);
  });

  it('hands down no more than the creator holds, and every limit of theirs', () => {
    const limit = { name: 'installation_id', id: '7' } as const;
    expect(
      grantable(['kv_store_read', 'kv_store_system_read'], ['kv_store_read', 'access_token_create']),
    ).toEqual(['kv_store_read']);
    expect(grantable(['kv_store_read'], ['kv_store_read', limit])).toEqual(['kv_store_read', limit]);
    expect(grantable([limit], [])).toEqual([limit]);
  });
});
