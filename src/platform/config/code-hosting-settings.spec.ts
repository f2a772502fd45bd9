import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { codeHostingSettings } from './code-hosting-settings.js';
import { ConfigurationError, loadConfig } from './config.js';

const REQUIRED = {
  SERVICE_UI_BASE: 'http://localhost',
  DB_HOST: 'x',
  DB_USER: 'x',
  DB_PASS: 'x',
  DB_NAME: 'x',
};
const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
const PEM = privateKey.export({ type: 'pkcs1', format: 'pem' }).toString();
const KEYS = `first:${randomBytes(32).toString('base64')}`;

/** A value of every key that is taken, and one that is not where not every text is. */
const VALUES: Record<keyof typeof codeHostingSettings, { good: string; bad?: string }> = {
  SERVICE_ORCHESTRATION_ENABLED: { good: 'true' },
  SERVICE_API_BASE: { good: 'https://api.example/base', bad: 'api.example' },
  SERVICE_GITHUB_APP_ID: { good: '4711', bad: 'my-app' },
  SERVICE_GITHUB_APP_PEM: { good: PEM, bad: 'c2VjcmV0IGtleQ==' },
  SERVICE_GITHUB_APP_CLIENT_ID: { good: 'Iv1.client' },
  SERVICE_GITHUB_APP_CLIENT_SECRET: { good: 'client secret' },
  SERVICE_GITHUB_WEBHOOK_SECRET: { good: 'webhook secret' },
  SERVICE_GITHUB_APP_URL: { good: 'https://github.example/apps/x', bad: 'apps/x' },
  SERVICE_GITHUB_API_BASE_URL: { good: 'https://github.example/api/v3', bad: 'github.example' },
  SERVICE_GITHUB_WEB_BASE_URL: { good: 'https://github.example', bad: 'github.example' },
  SERVICE_GITLAB_APP_ID: { good: 'application' },
  SERVICE_GITLAB_APP_SECRET: { good: 'application secret' },
  SERVICE_GITLAB_API_BASE_URL: { good: 'https://gitlab.example/api/v4', bad: 'gitlab' },
  SERVICE_GITLAB_WEB_BASE_URL: { good: 'https://gitlab.example', bad: 'gitlab' },
  SERVICE_GITLAB_PROVISIONING_ENABLED: { good: 'false' },
};
type Key = keyof typeof VALUES;
const ALL = Object.entries(VALUES) as [Key, { good: string; bad?: string }][];
const WHOLE: Record<string, string> = {
  ...REQUIRED,
  SERVICE_ENCRYPTION_KEYS: KEYS,
  ...Object.fromEntries(ALL.map(([key, { good }]) => [key, good])),
};

/** What does not work alone, and what it needs. */
const NEEDS: readonly (readonly [Key, string])[] = [
  ['SERVICE_GITHUB_APP_ID', 'SERVICE_GITHUB_APP_PEM'],
  ['SERVICE_GITHUB_APP_PEM', 'SERVICE_GITHUB_APP_ID'],
  ['SERVICE_GITHUB_APP_CLIENT_ID', 'SERVICE_GITHUB_APP_CLIENT_SECRET'],
  ['SERVICE_GITHUB_APP_CLIENT_SECRET', 'SERVICE_GITHUB_APP_CLIENT_ID'],
  ['SERVICE_GITLAB_APP_ID', 'SERVICE_GITLAB_APP_SECRET'],
  ['SERVICE_GITLAB_APP_SECRET', 'SERVICE_GITLAB_APP_ID'],
  ['SERVICE_ORCHESTRATION_ENABLED', 'SERVICE_ENCRYPTION_KEYS'],
];
const PARTIAL = new Set<string>(NEEDS.map(([key]) => key));

describe('The settings of code hosting', () => {
  it('are all taken together, and none is needed while it is off', () => {
    const config = loadConfig(WHOLE);
    for (const [key, { good }] of ALL)
      expect(String(config.get(key)).trim()).toBe(key === 'SERVICE_GITHUB_APP_PEM' ? PEM.trim() : good);
    const off = loadConfig(REQUIRED);
    expect(off.get('SERVICE_ORCHESTRATION_ENABLED')).toBe(false);
    expect(off.get('SERVICE_GITHUB_API_BASE_URL')).toBe('https://api.github.com');
  });

  it.each(NEEDS)('stop the start when %s is there without %s, which is named', (key, missing) => {
    const start = () => loadConfig({ ...REQUIRED, [key]: VALUES[key].good });
    expect(start).toThrow(ConfigurationError);
    expect(start).toThrow(new RegExp(`^configuration error: ${missing} is required$`));
    // An empty value is none, as environment files write it.
    expect(() => loadConfig({ ...WHOLE, [missing]: '' })).toThrow(
      new RegExp(`^configuration error: ${missing} is required$`),
    );
  });

  it.each(ALL.filter(([key]) => !PARTIAL.has(key)))('take %s alone', (key, { good }) => {
    expect(String(loadConfig({ ...REQUIRED, [key]: good }).get(key))).toBe(good);
  });

  it.each(ALL.flatMap(([key, { bad }]) => (bad === undefined ? [] : [[key, bad] as const])))(
    'stop the start when %s is %s, without quoting it',
    (key, bad) => {
      const start = () => loadConfig({ ...WHOLE, [key]: bad });
      expect(start).toThrow(ConfigurationError);
      expect(start).toThrow(new RegExp(`^configuration error: ${key} is invalid: (?!.*${bad})[^\\n]+$`));
    },
  );

  it('take the private key in every spelling, and no other kind of key', () => {
    for (const spelling of [PEM, PEM.replaceAll('\n', '\\n'), Buffer.from(PEM).toString('base64')])
      expect(loadConfig({ ...WHOLE, SERVICE_GITHUB_APP_PEM: spelling }).get('SERVICE_GITHUB_APP_PEM')).toBe(
        PEM.trim(),
      );
    const other = generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    expect(() => loadConfig({ ...WHOLE, SERVICE_GITHUB_APP_PEM: other.toString() })).toThrow(
      'SERVICE_GITHUB_APP_PEM is invalid',
    );
  });
});
