import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { join } from 'node:path';
import type { HostedRepository } from './hosted-repository.js';
import type { HostedService } from './hosted-service.js';

const CLIENT = join(__dirname, '..', '..', '..', 'cli', 'bin', 'infrastate.js');

/** The real client as a CI job starts it, on a machine that can be killed. */
export class RealRunner {
  output = '';
  /** its exit code; null when it was killed */
  readonly ended: Promise<number | null>;

  private constructor(readonly child: ChildProcess) {
    for (const stream of [child.stdout, child.stderr])
      stream?.setEncoding('utf8').on('data', (text: string) => (this.output += text));
    this.ended = new Promise((resolve) => child.once('close', resolve));
  }

  /** For the nth dispatch. */
  static async start(
    service: HostedService,
    repository: HostedRepository,
    n: number,
    { home, apiBase }: { home: string; apiBase?: string | undefined },
  ): Promise<RealRunner> {
    const { inputs, env } = await service.dispatch(repository, n);
    const child = spawn(process.execPath, [CLIENT, 'run'], {
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: home,
        ...env,
        INFRASTATE_WORK_TOKEN: inputs['work_token'] ?? '',
        INFRASTATE_API_BASE: apiBase ?? inputs['api_base_url'] ?? '',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    return new RealRunner(child);
  }

  /** The machine goes down: the client and everything that it has started. */
  async killMachine(): Promise<void> {
    const { child } = this;
    const started = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
      .split('\n')
      .map((line) => line.trim().split(/\s+/).map(Number))
      .flatMap(([pid, parent]) => (parent === child.pid && pid !== undefined ? [pid] : []));
    const closed = new Promise((resolve) => child.once('exit', resolve));
    child.kill('SIGKILL');
    // Whatever the client starts is the leader of a process group.
    for (const pid of started)
      try {
        process.kill(-pid, 'SIGKILL');
      } catch {
        // It has ended.
      }
    await closed;
  }
}
