import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { chmodSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './service.js';

const ROOT = join(__dirname, '..', '..');

/** What `npm start` runs, with data of its own; `url` is the address that it prints. */
export async function startLocally(): Promise<{ url: string; stop: () => Promise<void> }> {
  const folder = mkdtempSync(join(tmpdir(), 'local-service-'));
  // The database server of a machine's root runs as another user, who has to get in.
  chmodSync(folder, 0o755);
  const child = spawn(process.execPath, [join(ROOT, 'tools', 'start.mjs')], {
    cwd: ROOT,
    env: {
      PATH: process.env['PATH'] ?? '',
      SERVICE_PORT: String(await freePort()),
      SERVICE_DATA_DIR: join(folder, 'data'),
    },
  });
  const ended = once(child, 'exit');
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (part: string) => (output += part));
  while (!output.includes('Ctrl-C')) {
    if (child.exitCode !== null) throw new Error(`ended with ${child.exitCode}:\n${output}`);
    await Promise.race([once(child.stdout, 'data'), once(child.stderr, 'data'), ended]);
  }
  return {
    url: /http:\/\/localhost:\d+/.exec(output)?.[0] ?? '',
    stop: async () => {
      child.kill('SIGINT');
      await ended;
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
