import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './service.js';

const ROOT = join(__dirname, '..', '..');

/** What `npm start` runs, with data of its own; `url` is the address that it prints. */
export async function startLocally({
  command = `exec "${process.execPath}" tools/start.mjs`,
  port,
}: { command?: string; port?: number } = {}): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'local-service-'));
  // The database server of a machine's root runs as another user, who has to get in.
  chmodSync(folder, 0o755);
  const started = await startCommand(
    command,
    { SERVICE_PORT: String(port ?? (await freePort())), SERVICE_DATA_DIR: join(folder, 'data') },
    'Ctrl-C',
  );
  return {
    url: /http:\/\/localhost:\d+/.exec(started.output())?.[0] ?? '',
    stop: async () => {
      await started.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

export interface StartedCommand {
  output(): string;
  /** until the output contains a text */
  says(text: string): Promise<void>;
  stop(): Promise<void>;
}

/** Runs a command line of the documentation in the checkout until it prints `ready`; `stop` is Ctrl-C. */
export async function startCommand(
  command: string,
  env: Record<string, string>,
  ready: string,
): Promise<StartedCommand> {
  const { PATH = '', HOME = '' } = process.env;
  const child = spawn('bash', ['-c', command], { cwd: ROOT, env: { PATH, HOME, ...env }, detached: true });
  const ended = once(child, 'close');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (output += part));
  const says = async (text: string): Promise<void> => {
    while (!output.includes(text)) {
      if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}:\n${output}`);
      await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended]);
    }
  };
  await says(ready);
  return {
    output: () => output,
    says,
    stop: async () => {
      // A terminal sends the signal to every process of the command.
      if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT');
      await ended;
    },
  };
}
