import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { dirname, isAbsolute, join } from 'node:path';
import { Failure } from '../failure.js';

/** One service somebody signed in to. */
export interface StoredCredential {
  api_key: string;
  /** name of the key when `login` made it, so that `logout` can revoke it */
  key_name?: string;
  /** tenant chosen at login, by name or id */
  tenant?: string;
}

/** By address; a key is never sent to another service than the one it belongs to. */
export interface Credentials {
  current?: string;
  services: Record<string, StoredCredential>;
}

/** `$XDG_CONFIG_HOME/infrastate/credentials.json`, readable by its owner only. */
export class CredentialsStore {
  readonly path: string;

  constructor(env: Readonly<Record<string, string | undefined>>) {
    const base = env['XDG_CONFIG_HOME'];
    const home = env['HOME'] ?? homedir();
    this.path = join(
      base && isAbsolute(base) ? base : join(home, '.config'),
      'infrastate',
      'credentials.json',
    );
  }

  read(): Credentials {
    const text = this.text();
    if (text === undefined) return { services: {} };
    try {
      const { current, services } = JSON.parse(text) as Partial<Credentials>;
      return { ...(current === undefined ? {} : { current }), services: services ?? {} };
    } catch {
      throw new Failure(
        'CREDENTIALS_UNREADABLE',
        `${this.path} is damaged`,
        'delete it and run infrastate login',
      );
    }
  }

  /** Whole or not at all: the new file takes the old one's place when it is complete. */
  write(credentials: Credentials): void {
    const folder = dirname(this.path);
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    chmodSync(folder, 0o700);
    const draft = `${this.path}.${process.pid}`;
    try {
      writeFileSync(draft, `${JSON.stringify(credentials, null, 2)}\n`, { mode: 0o600, flag: 'wx' });
      renameSync(draft, this.path);
    } catch (error) {
      rmSync(draft, { force: true });
      throw error;
    }
  }

  private text(): string | undefined {
    try {
      return readFileSync(this.path, 'utf8');
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
      throw new Failure('CREDENTIALS_UNREADABLE', `${this.path} cannot be read`);
    }
  }
}
