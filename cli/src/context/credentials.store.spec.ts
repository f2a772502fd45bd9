import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CredentialsStore } from './credentials.store.js';

describe('stored credentials', () => {
  let home: string;
  beforeEach(() => (home = mkdtempSync(join(tmpdir(), 'credentials-'))));
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const written = { current: 'https://a', services: { 'https://a': { api_key: 'secret' } } };
  const modeOf = (path: string): number => statSync(path).mode & 0o777;

  it('are read back, and readable by nobody else whatever stood there before', () => {
    const folder = join(home, 'infrastate');
    mkdirSync(folder, { mode: 0o755 });
    writeFileSync(join(folder, 'credentials.json'), '{}', { mode: 0o644 });
    const store = new CredentialsStore({ XDG_CONFIG_HOME: home });
    store.write(written);
    expect(store.read()).toEqual(written);
    expect([modeOf(folder), modeOf(store.path)]).toEqual([0o700, 0o600]);
    expect(readdirSync(folder)).toEqual(['credentials.json']);
  });

  it('are below .config in the home directory unless XDG_CONFIG_HOME is an absolute path', () => {
    for (const base of [undefined, '', 'relative'])
      expect(new CredentialsStore({ HOME: home, XDG_CONFIG_HOME: base }).path).toBe(
        join(home, '.config', 'infrastate', 'credentials.json'),
      );
  });

  it('are none before the first login, and nothing is created by asking', () => {
    expect(new CredentialsStore({ XDG_CONFIG_HOME: home }).read()).toEqual({ services: {} });
    expect(existsSync(join(home, 'infrastate'))).toBe(false);
  });

  it('are reported when damaged, without their content', () => {
    mkdirSync(join(home, 'infrastate'));
    writeFileSync(join(home, 'infrastate', 'credentials.json'), '{"services": secret');
    expect(() => new CredentialsStore({ XDG_CONFIG_HOME: home }).read()).toThrow(
      /credentials\.json is damaged$/,
    );
  });
});
