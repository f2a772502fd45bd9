import { grantable, parseTokenCapabilities } from './token-capabilities.rules.js';

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

  it('hands down no more than the creator holds, and every limit of theirs', () => {
    const limit = { name: 'installation_id', id: '7' } as const;
    expect(
      grantable(['kv_store_read', 'kv_store_system_read'], ['kv_store_read', 'access_token_create']),
    ).toEqual(['kv_store_read']);
    expect(grantable(['kv_store_read'], ['kv_store_read', limit])).toEqual(['kv_store_read', limit]);
    expect(grantable([limit], [])).toEqual([limit]);
  });
});
