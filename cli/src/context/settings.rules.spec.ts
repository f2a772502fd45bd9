import type { Credentials } from './credentials.store.js';
import { resolveSettings } from './settings.rules.js';

const ONE = 'https://one.example.com';
const OTHER = 'https://other.example.com';
const stored: Credentials = {
  current: ONE,
  services: { [ONE]: { api_key: 'stored', tenant: 'Stored' }, [OTHER]: { api_key: 'other' } },
};

describe('settings', () => {
  it('are what login stored when nothing else is said', () => {
    expect(resolveSettings({}, {}, stored)).toEqual({
      address: ONE,
      apiKey: 'stored',
      tenant: 'Stored',
      workspace: undefined,
      tags: {},
    });
  });

  it('follow the environment over what is stored, and flags over both', () => {
    const env = {
      INFRASTATE_API_BASE: `${OTHER}/api/v1`,
      INFRASTATE_API_KEY: 'environment',
      INFRASTATE_TENANT_ID: 'Environment',
      INFRASTATE_WORKSPACE: 'staging',
      INFRASTATE_TX_TAGS: 'team=net,by=env',
    };
    expect(resolveSettings({}, env, stored)).toEqual({
      address: OTHER,
      apiKey: 'environment',
      tenant: 'Environment',
      workspace: 'staging',
      tags: { team: 'net', by: 'env' },
    });
    const flags = { apiBase: ONE, tenant: 'Flag', workspace: 'production', tag: ['by=flag'] };
    expect(resolveSettings(flags, env, stored)).toEqual({
      address: ONE,
      apiKey: 'environment',
      tenant: 'Flag',
      workspace: 'production',
      tags: { team: 'net', by: 'flag' },
    });
  });

  it('never take the key of one service to another', () => {
    expect(resolveSettings({ apiBase: 'https://third.example.com' }, {}, stored).apiKey).toBeUndefined();
    expect(resolveSettings({ apiBase: OTHER }, {}, stored).apiKey).toBe('other');
  });

  it('do not apply the stored tenant to a key that comes from elsewhere', () => {
    expect(resolveSettings({}, { INFRASTATE_API_KEY: 'mine' }, stored).tenant).toBeUndefined();
  });

  it('take a variable that is set to nothing as not set', () => {
    const env = { INFRASTATE_API_BASE: '', INFRASTATE_API_KEY: ' ', INFRASTATE_TENANT_ID: '' };
    expect(resolveSettings({}, env, stored)).toMatchObject({
      address: ONE,
      apiKey: 'stored',
      tenant: 'Stored',
    });
  });
});
