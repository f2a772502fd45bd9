import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = join(__dirname, '..', '..', 'cli', 'bin', 'infrastate.js');

/** Tests of what a terminal shows run where util-linux has `script`, which makes one. */
export const itOnTerminal = spawnSync('script', ['--version']).error ? it.skip : it;

export interface CliOutcome {
  code: number | null;
  stdout: string;
  /** stdout before it is read as text */
  bytes: Buffer;
  stderr: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- what was printed: only an assertion knows its shape
  json<T = any>(): T;
}

/** Somebody's home directory, in which the built client runs with nothing else of a user's settings. */
export class CliHome {
  readonly directory = mkdtempSync(join(tmpdir(), 'cli-test-'));
  readonly credentials = join(this.directory, 'config', 'infrastate', 'credentials.json');

  constructor(readonly env: Record<string, string> = {}) {}

  /** Runs to the end, whatever the exit code. */
  run(
    args: readonly string[],
    how: { env?: Record<string, string>; input?: string | Buffer } = {},
  ): Promise<CliOutcome> {
    const child = spawn(process.execPath, [PROGRAM, ...args], {
      cwd: this.directory,
      env: this.environment(how.env),
    });
    const parts: Buffer[] = [];
    let stderr = '';
    child.stdout.on('data', (part: Buffer) => parts.push(part));
    child.stderr.setEncoding('utf8').on('data', (part: string) => (stderr += part));
    child.stdin.on('error', () => undefined);
    child.stdin.end(how.input ?? '');
    return new Promise((resolve, reject) => {
      child.once('error', reject);
      child.once('close', (code) => {
        const bytes = Buffer.concat(parts);
        const stdout = bytes.toString();
        resolve({ code, stdout, bytes, stderr, json: <T>() => JSON.parse(stdout) as T });
      });
    });
  }

  /** Runs on a terminal: gives each answer when its question is shown. Answers what the screen showed. */
  async onTerminal(
    args: readonly string[],
    dialog: readonly [question: string, answer: string][],
  ): Promise<string> {
    const command = [process.execPath, PROGRAM, ...args].map((part) => `'${part}'`).join(' ');
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      cwd: this.directory,
      env: this.environment(),
    });
    let screen = '';
    const closed = once(child, 'close');
    child.stdout.setEncoding('utf8').on('data', (part: string) => (screen += part));
    for (const [question, answer] of dialog) {
      while (!screen.includes(question)) await Promise.race([once(child.stdout, 'data'), closed]);
      child.stdin.write(`${answer}\r`);
    }
    await closed;
    return screen;
  }

  /** As `run` with `--json`; anything but success is an error. Answers the document. */
  // oxlint-disable-next-line typescript/no-explicit-any -- as of `json`
  async must<T = any>(args: readonly string[], how: { input?: string | Buffer } = {}): Promise<T> {
    const outcome = await this.run([...args, '--json'], how);
    if (outcome.code !== 0)
      throw new Error(`infrastate ${args.join(' ')}: ${outcome.code} ${outcome.stderr}`);
    return outcome.json<T>();
  }

  private environment(more: Record<string, string> = {}): Record<string, string> {
    return {
      PATH: process.env['PATH'] ?? '',
      HOME: this.directory,
      XDG_CONFIG_HOME: join(this.directory, 'config'),
      INFRASTATE_SECURITY_WAIT_SECONDS: '0',
      ...this.env,
      ...more,
    };
  }

  /** Writes a file into the home directory; answers its path. */
  file(name: string, content: string | Buffer): string {
    const path = join(this.directory, name);
    writeFileSync(path, content);
    return path;
  }

  remove(): void {
    rmSync(this.directory, { recursive: true, force: true });
  }
}
