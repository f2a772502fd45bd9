import { ChildProcess, spawn } from 'node:child_process';
import { createServer } from 'node:net';
import { EmbeddedPostgresError } from './embedded-postgres-error.js';
import { serverIdentity } from './run-as.js';

const READY = 'database system is ready to accept connections';
const KEPT_OUTPUT = 4_000;

/** Runs a program of the package to its end. */
export function runToEnd(program: string, args: string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      ...serverIdentity(),
      cwd: '/',
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const output = collect(child);
    child.once('error', reject);
    child.once('exit', (code) => {
      if (code === 0) resolve();
      else
        reject(
          new EmbeddedPostgresError(`the embedded PostgreSQL could not be created: ${lastLine(output.text)}`),
        );
    });
  });
}

/** Resolves when the server accepts connections. */
export function launchServer(
  program: string,
  pgData: string,
  settings: Record<string, string>,
): Promise<ChildProcess> {
  const flags = Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
  return new Promise((resolve, reject) => {
    const child = spawn(program, ['-D', pgData, ...flags], {
      ...serverIdentity(),
      cwd: '/',
      // A session of its own: Ctrl-C must reach the service only, which ends PostgreSQL after its last request.
      detached: true,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    const output = collect(child);
    child.stderr?.on('data', () => {
      if (output.text.includes(READY)) resolve(child);
    });
    child.once('error', reject);
    child.once('exit', () =>
      reject(new EmbeddedPostgresError(`the embedded PostgreSQL does not start: ${lastLine(output.text)}`)),
    );
  });
}

/** Keeps the end of what the program says; the pipe has to be read anyway or the program would block. */
function collect(child: ChildProcess): { text: string } {
  const output = { text: '' };
  child.stderr?.setEncoding('utf8').on('data', (part: string) => {
    output.text = (output.text + part).slice(-KEPT_OUTPUT);
  });
  return output;
}

function lastLine(text: string): string {
  const lines = text.trim().split('\n');
  return lines.findLast((line) => /FATAL|ERROR|error/.test(line)) ?? lines.at(-1) ?? 'no reason given';
}

/** A port nobody listens on at this moment. */
export function freePort(): Promise<number> {
  return new Promise((resolve, reject) => {
    const probe = createServer();
    probe.once('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
}
