import type { ChildProcess } from 'node:child_process';
import { chmodSync, chownSync, existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { randomBytes } from 'node:crypto';
import { join, resolve } from 'node:path';
import { Client, ClientConfig } from 'pg';
import { Binaries, findBinaries } from './binaries.js';
import { aboutDataDirectory, makeDirectory } from './data-directory.js';
import { lockDataDirectory } from './data-lock.js';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { endOrphan } from './orphan.js';
import { blockedDirectory, requireNamedUser, serverIdentity } from './run-as.js';
import { freePort, launchServer, runToEnd } from './server-process.js';

const SUPERUSER = 'postgres';
/** Without lz4 in this build of PostgreSQL, images of whole pages are compressed with its own method. */
const SETTINGS: Readonly<Record<string, string>> = {
  listen_addresses: '127.0.0.1',
  // TCP only: the path of a socket is limited to 107 bytes and a data directory may lie deeper.
  unix_socket_directories: '',
  shared_buffers: '256MB',
  max_wal_size: '2GB',
  wal_compression: 'pglz',
  jit: 'off',
  max_connections: '100',
};

export interface EmbeddedPostgresOptions {
  /** holds the cluster in `postgres/`, the passwords and the lock */
  directory: string;
  /** overrides of server settings, such as fsync=off for tests */
  settings?: Readonly<Record<string, string>>;
}

/** A real PostgreSQL server owned by this process. */
export class EmbeddedPostgres {
  private constructor(
    private readonly server: ChildProcess,
    private readonly release: () => void,
    readonly port: number,
    private readonly passwords: string,
  ) {}

  /** Creates the cluster on the first start; fails with one clear line when it cannot run here. */
  static async start(options: EmbeddedPostgresOptions): Promise<EmbeddedPostgres> {
    const directory = resolve(options.directory);
    try {
      return await EmbeddedPostgres.startIn(directory, options.settings);
    } catch (error) {
      throw aboutDataDirectory(error, directory);
    }
  }

  private static async startIn(
    directory: string,
    settings: EmbeddedPostgresOptions['settings'],
  ): Promise<EmbeddedPostgres> {
    const identity = serverIdentity();
    requireNamedUser();
    makeDirectory(directory);
    const blocked = identity && blockedDirectory(directory, identity.uid);
    if (blocked !== undefined) {
      throw new EmbeddedPostgresError(
        `PostgreSQL does not run as root and its user ${identity?.uid} may not enter ${blocked}; set SERVICE_DATA_DIR to a directory below /var/lib, or start as an ordinary user`,
      );
    }
    const release = lockDataDirectory(directory);
    try {
      const binaries = findBinaries(directory, identity?.uid);
      const pgData = join(directory, 'postgres');
      await createCluster(binaries, directory, pgData);
      await endOrphan(pgData);
      const port = await freePort();
      const server = await launchServer(binaries.postgres, pgData, {
        ...SETTINGS,
        ...settings,
        port: String(port),
      });
      return new EmbeddedPostgres(server, release, port, directory);
    } catch (error) {
      release();
      throw error;
    }
  }

  /** For creating roles and databases; the service itself never connects as this role. */
  superuser(database = 'postgres'): ClientConfig & { password: string } {
    return { ...this.address(), user: SUPERUSER, password: passwordOf(this.passwords, SUPERUSER), database };
  }

  /** The role `name` as deploy/create-service-role.sh makes it, on first use, with a password of its own. */
  async role(name: string): Promise<{ user: string; password: string; host: string; port: number }> {
    const password = passwordOf(this.passwords, name);
    await this.asSuperuser(async (client) => {
      const { rowCount } = await client.query('SELECT 1 FROM pg_roles WHERE rolname = $1', [name]);
      const verb = rowCount ? 'ALTER' : 'CREATE';
      await client.query(
        `${verb} ROLE ${client.escapeIdentifier(name)} LOGIN NOSUPERUSER CREATEROLE PASSWORD ${client.escapeLiteral(password)}`,
      );
      await client.query(`GRANT SET ON PARAMETER temp_file_limit TO ${client.escapeIdentifier(name)}`);
    });
    return { ...this.address(), user: name, password };
  }

  async database(name: string, owner: string): Promise<void> {
    await this.asSuperuser(async (client) => {
      const { rowCount } = await client.query('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
      if (rowCount) return;
      await client.query(
        `CREATE DATABASE ${client.escapeIdentifier(name)} OWNER ${client.escapeIdentifier(owner)}`,
      );
    });
  }

  /** Fast shutdown: sessions are ended, what was committed is kept. */
  async stop(): Promise<void> {
    if (this.server.exitCode === null && this.server.signalCode === null) {
      const ended = new Promise((done) => this.server.once('exit', done));
      this.server.kill('SIGINT');
      await ended;
    }
    this.release();
  }

  private address(): { host: string; port: number } {
    return { host: '127.0.0.1', port: this.port };
  }

  private async asSuperuser(task: (client: Client) => Promise<void>): Promise<void> {
    const client = new Client(this.superuser());
    await client.connect();
    try {
      await task(client);
    } finally {
      await client.end();
    }
  }
}

function passwordOf(directory: string, role: string): string {
  const path = join(directory, `${role}.password`);
  if (!existsSync(path)) writeFileSync(path, randomBytes(24).toString('base64url'), { mode: 0o600 });
  return readFileSync(path, 'utf8');
}

async function createCluster(binaries: Binaries, directory: string, pgData: string): Promise<void> {
  // initdb writes PG_VERSION first; the service's own mark says that it came to its end.
  const complete = join(directory, 'cluster.created');
  if (existsSync(complete)) return;
  const identity = serverIdentity();
  rmSync(pgData, { recursive: true, force: true });
  mkdirSync(pgData, { mode: 0o700 });
  const passwordFile = join(directory, 'initdb.password');
  writeFileSync(passwordFile, passwordOf(directory, SUPERUSER), { mode: 0o600 });
  if (identity) for (const path of [pgData, passwordFile]) chownSync(path, identity.uid, identity.gid);
  const flags = [
    '--auth=scram-sha-256',
    `--pwfile=${passwordFile}`,
    '-E',
    'UTF8',
    '--locale=C.UTF-8',
    '--no-sync',
  ];
  try {
    await runToEnd(binaries.initdb, ['-D', pgData, '-U', SUPERUSER, ...flags]);
  } finally {
    rmSync(passwordFile, { force: true });
  }
  chmodSync(pgData, 0o700);
  writeFileSync(complete, '');
}
