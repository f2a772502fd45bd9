import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from './service.js';

export interface TestRedis {
  url: string;
  stop(): Promise<void>;
}

/** A redis-server of its own, without persistence, on a free port unless it is to be another one. */
export async function startRedis(at?: number): Promise<TestRedis> {
  const port = at ?? (await freePort());
  const directory = mkdtempSync(join(tmpdir(), 'redis-test-'));
  const flags = [
    '--port',
    String(port),
    '--bind',
    '127.0.0.1',
    '--save',
    '',
    '--appendonly',
    'no',
    '--dir',
    directory,
  ];
  const server = spawn('redis-server', flags, { stdio: ['ignore', 'pipe', 'inherit'] });
  await readyToAccept(server);
  return {
    url: `redis://127.0.0.1:${port}`,
    stop: async () => {
      const ended = once(server, 'exit');
      server.kill('SIGTERM');
      await ended;
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

function readyToAccept(server: ChildProcess): Promise<void> {
  return new Promise((resolve, reject) => {
    let output = '';
    server.stdout?.setEncoding('utf8').on('data', (part: string) => {
      output += part;
      if (output.includes('Ready to accept connections')) resolve();
    });
    server.once('exit', () => reject(new Error(`redis-server ended: ${output}`)));
  });
}
