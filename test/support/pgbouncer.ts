import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import type { TestDatabase } from './database.js';
import { freePort } from './service.js';

/** A PgBouncer of its own in front of the server of a test database. */
export class PgBouncer {
  private constructor(
    private readonly child: ChildProcess,
    private readonly directory: string,
    readonly port: number,
  ) {}

  static async start(
    { connection }: TestDatabase,
    { mode, size }: { mode: 'session' | 'transaction'; size: number },
  ): Promise<PgBouncer> {
    const directory = mkdtempSync(join(tmpdir(), 'pgbouncer-'));
    chmodSync(directory, 0o755);
    const port = await freePort();
    const { host, user, password } = connection;
    writeFileSync(join(directory, 'users'), `"${user}" "${password}"\n`);
    writeFileSync(
      join(directory, 'pgbouncer.ini'),
      `[databases]
* = host=${host} port=${connection.port}
[pgbouncer]
listen_addr = 127.0.0.1
listen_port = ${port}
unix_socket_dir =
auth_type = plain
auth_file = ${directory}/users
pool_mode = ${mode}
default_pool_size = ${size}
max_client_conn = 200
ignore_startup_parameters = extra_float_digits
`,
    );
    // It refuses to run as root.
    const identity = process.getuid?.() === 0 ? ['-u', 'nobody'] : [];
    const child = spawn('pgbouncer', [...identity, join(directory, 'pgbouncer.ini')], { stdio: 'ignore' });
    for (;;) {
      const client = new Client({ ...connection, port });
      const isUp = await client.connect().then(
        () => true,
        () => false,
      );
      await client.end().catch(() => undefined);
      if (isUp) return new PgBouncer(child, directory, port);
      if (child.exitCode !== null) throw new Error('pgbouncer ended');
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  }

  async stop(): Promise<void> {
    const ended = once(this.child, 'exit');
    this.child.kill('SIGKILL');
    await ended;
    rmSync(this.directory, { recursive: true, force: true });
  }
}
