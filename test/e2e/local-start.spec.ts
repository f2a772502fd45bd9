import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, existsSync, mkdtempSync, rmSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import { networkInterfaces, tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../support/service.js';

const ROOT = join(__dirname, '..', '..');

/** An address by which other machines reach this one. */
const OUTER = Object.values(networkInterfaces())
  .flat()
  .find((one) => one && !one.internal && one.family === 'IPv4')?.address;

const isAlive = (host: string, port: number): Promise<boolean> =>
  fetch(`http://${host}:${port}/health/live`).then(
    ({ ok }) => ok,
    () => false,
  );

interface Started {
  child: ChildProcess;
  output(): string;
}

describe('npm start', () => {
  let folder: string;
  let port: number;

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'local-start-'));
    // The database server of a machine's root runs as another user, who has to get in.
    chmodSync(folder, 0o755);
    port = await freePort();
  });
  afterAll(() => rmSync(folder, { recursive: true, force: true }));

  function start(onPort = port, directory = join(folder, 'data')): Started {
    const child = spawn(process.execPath, [join(ROOT, 'tools', 'start.mjs')], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'] ?? '', SERVICE_PORT: String(onPort), SERVICE_DATA_DIR: directory },
    });
    let written = '';
    for (const stream of [child.stdout, child.stderr])
      stream.setEncoding('utf8').on('data', (part: string) => (written += part));
    return { child, output: () => written };
  }

  /** Resolves when the process has printed the text. */
  async function prints(started: Started, text: string): Promise<void> {
    const { child } = started;
    while (!started.output().includes(text)) {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}:\n${started.output()}`);
      await Promise.race([
        once(child.stdout ?? child, 'data'),
        once(child.stderr ?? child, 'data'),
        once(child, 'exit'),
      ]);
    }
  }

  async function interrupted({ child }: Started): Promise<number | null> {
    const ended = once(child, 'exit');
    child.kill('SIGINT');
    await ended;
    return child.exitCode;
  }

  it.each([
    ['a file', () => join(folder, 'file')],
    ['a place below a file', () => join(folder, 'file', 'below', 'it')],
    ['a place where nothing can be created', () => '/proc/nothing/here'],
    ['a link to nowhere', () => join(folder, 'link')],
    ['a name that is too long', () => join(folder, 'x'.repeat(300))],
  ])('ends with one line when SERVICE_DATA_DIR is %s', async (_name, directory) => {
    writeFileSync(join(folder, 'file'), '');
    rmSync(join(folder, 'link'), { force: true });
    symlinkSync(join(folder, 'nowhere'), join(folder, 'link'));
    const started = start(await freePort(), directory());
    await once(started.child, 'exit');
    const lines = started.output().trim().split('\n');
    expect([started.child.exitCode, lines]).toEqual([1, [expect.stringMatching(/^SERVICE_DATA_DIR is /)]]);
    expect(lines[0]).toContain(directory());
  });

  it('starts everything, says where it is and what to do, finds its data again and stops on Ctrl-C', async () => {
    const first = start();
    await prints(first, 'Ctrl-C');
    expect(first.output()).toContain(`http://localhost:${port}`);
    expect(first.output()).toContain('in a browser: the first visit creates the administrator');
    expect(statSync(join(folder, 'data', 'encryption-keys')).mode & 0o777).toBe(0o600);
    expect(first.output()).toContain(join(folder, 'data'));
    expect(first.output()).toContain('on 127.0.0.1 only; for other machines start with SERVICE_HOST=0.0.0.0');
    const metrics = Number(/http:\/\/localhost:(\d+)\/metrics/.exec(first.output())?.[1]);
    for (const each of [port, metrics]) {
      expect(await isAlive('127.0.0.1', each)).toBe(true);
      if (OUTER !== undefined) expect(await isAlive(OUTER, each)).toBe(false);
    }
    expect(statSync(join(folder, 'data', 'service.password')).mode & 0o777).toBe(0o600);
    const setup = await fetch(`http://localhost:${port}/api/v1/setup/admin`, {
      method: 'POST',
      headers: { 'Content-Type': 'application/json' },
      body: JSON.stringify({
        email: 'ada@example.com',
        password: 'correct horse battery',
        name: 'Ada',
        organization: 'Example',
      }),
    });
    expect(setup.status).toBe(201);

    const taken = start(port, join(folder, 'other'));
    await once(taken.child, 'exit');
    expect([taken.child.exitCode, taken.output().trim().split('\n').length]).toEqual([1, 1]);
    expect(taken.output()).toContain(String(port));
    const sharing = start(await freePort());
    await once(sharing.child, 'exit');
    expect([sharing.child.exitCode, sharing.output().trim().split('\n').length]).toEqual([1, 1]);

    expect(await interrupted(first)).toBe(0);
    const second = start();
    await prints(second, 'Ctrl-C');
    const status = await (await fetch(`http://localhost:${port}/api/v1/setup/status`)).json();
    expect(status).toEqual({ needs_setup: false });

    // After kill -9 the database server is an orphan that holds the data: the next start ends it and takes over.
    const killed = once(second.child, 'exit');
    second.child.kill('SIGKILL');
    await killed;
    const third = start();
    await prints(third, 'Ctrl-C');
    expect(await (await fetch(`http://localhost:${port}/api/v1/setup/status`)).json()).toEqual({
      needs_setup: false,
    });
    expect(await interrupted(third)).toBe(0);
    expect(existsSync(join(folder, 'data', 'postgres', 'postmaster.pid'))).toBe(false);
  }, 120_000);
});
