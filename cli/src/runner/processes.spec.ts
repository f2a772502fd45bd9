import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { runProcess } from './processes.js';

describe('A program of a run that is stopped', () => {
  let home: string;
  let stopping: AbortController;

  beforeEach(() => {
    home = mkdtempSync(join(tmpdir(), 'processes-'));
    stopping = new AbortController();
  });
  afterEach(() => rmSync(home, { recursive: true, force: true }));

  const run = (script: string) =>
    runProcess('sh', ['-c', script], {
      cwd: home,
      env: { PATH: process.env['PATH'] ?? '' },
      signal: stopping.signal,
      killAfterMs: 50,
    });

  async function until(file: string): Promise<void> {
    for (let n = 0; !existsSync(join(home, file)); n++) {
      if (n > 2000) throw new Error(`${file} did not appear`);
      await delay(20);
    }
  }

  it('ends, though a process that left its group holds its output open', async () => {
    const outcome = run(`echo 'as far as it came'
setsid sh -c 'echo $$ > draft; mv draft daemon; exec sleep 300' &
wait`);
    await until('daemon');
    stopping.abort();
    try {
      expect(await outcome).toMatchObject({ stdout: 'as far as it came\n' });
    } finally {
      process.kill(Number(readFileSync(join(home, 'daemon'), 'utf8')), 'SIGKILL');
    }
  });

  it('is not started any more', async () => {
    stopping.abort();
    expect(await run('touch begun')).toMatchObject({
      code: 130,
      text: 'sh was not started: the run was stopped\n',
    });
    expect(existsSync(join(home, 'begun'))).toBe(false);
  });
});
