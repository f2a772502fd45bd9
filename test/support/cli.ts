import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const PROGRAM = join(__dirname, '..', '..', 'cli', 'bin', 'infrastate.js');

export interface CliOutcome {
  code: number | null;
  stdout: string;
  /** stdout before it is read as text */
  bytes: Buffer;
  stderr: string;
  json<T = any>(): T; // eslint-disable-line @typescript-eslint/no-explicit-any
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
      env: {
        PATH: process.env['PATH'] ?? '',
        HOME: this.directory,
        XDG_CONFIG_HOME: join(this.directory, 'config'),
        ...this.env,
        ...how.env,
      },
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

  /** As `run` with `--json`; anything but success is an error. Answers the document. */
  // eslint-disable-next-line @typescript-eslint/no-explicit-any
  async must<T = any>(args: readonly string[], how: { input?: string | Buffer } = {}): Promise<T> {
    const outcome = await this.run([...args, '--json'], how);
    if (outcome.code !== 0)
      throw new Error(`infrastate ${args.join(' ')}: ${outcome.code} ${outcome.stderr}`);
    return outcome.json<T>();
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
