import { execFileSync, spawnSync } from 'node:child_process';
import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Client } from 'pg';
import { EmbeddedPostgres } from '../../src/platform/database/embedded-postgres/index.js';

const hasPsql = spawnSync('psql', ['--version']).status === 0;
if (!hasPsql) process.stderr.write('psql is missing: deploy/create-service-role.sh is NOT tested\n');

(hasPsql ? describe : describe.skip)('deploy/create-service-role.sh', () => {
  let directory: string;
  let server: EmbeddedPostgres;

  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'service-role-'));
    chmodSync(directory, 0o755);
    server = await EmbeddedPostgres.start({ directory, settings: { fsync: 'off' } });
  });
  afterAll(async () => {
    await server.stop();
    rmSync(directory, { recursive: true, force: true });
  });

  const environment = () => {
    const { host, port, password } = server.superuser();
    return {
      ...process.env,
      PGHOST: host,
      PGPORT: String(port),
      PGPASSWORD: password,
      SERVICE_DB_PASS: "quote ' and \\ backslash",
    };
  };

  it('makes a role that signs in, owns its database and may limit the temporary files of queries', async () => {
    execFileSync('sh', ['deploy/create-service-role.sh'], { env: environment(), stdio: 'pipe' });
    const { host, port } = server.superuser();
    const client = new Client({
      host: host ?? '',
      port: port ?? 0,
      user: 'service',
      database: 'service',
      password: environment().SERVICE_DB_PASS,
    });
    await client.connect();
    const { rows } = await client.query(
      `SELECT rolsuper, rolcreaterole, has_parameter_privilege('temp_file_limit', 'SET') AS may_limit,
              pg_get_userbyid(datdba) AS owner
         FROM pg_roles, pg_database WHERE rolname = current_user AND datname = current_database()`,
    );
    await client.end();
    expect(rows).toEqual([{ rolsuper: false, rolcreaterole: true, may_limit: true, owner: 'service' }]);
  });

  it('leaves the grant out on PostgreSQL 14, which does not know it', () => {
    const shim = join(directory, 'psql');
    // What the script tells psql, with the version number of an older server.
    const real = execFileSync('sh', ['-c', 'command -v psql'], { encoding: 'utf8' }).trim();
    writeFileSync(
      shim,
      `#!/bin/sh\nsed -e "s/current_setting('server_version_num')/'140010'/" -e 's/\\bservice\\b/service14/g' | ${real} -a "$@"\n`,
      { mode: 0o755 },
    );
    const printed = execFileSync('sh', ['deploy/create-service-role.sh'], {
      env: { ...environment(), PATH: `${directory}:${process.env['PATH']}` },
      encoding: 'utf8',
    });
    expect(printed).toMatch(/^CREATE ROLE$/m);
    expect(printed).toMatch(/^CREATE DATABASE$/m);
    expect(printed).not.toMatch(/^GRANT$/m);
  });
});
