import { ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { Pool } from 'pg';
import { environmentOf, freshDatabase, TestDatabase } from './database.js';

const ROOT = join(__dirname, '..', '..');
const START_LIMIT_MS = 120_000;

export interface ServiceOptions {
  env?: Record<string, string>;
  role?: 'api' | 'worker';
  /** share one with another replica; its owner drops it */
  database?: TestDatabase;
  /** where another build of the service is */
  root?: string;
  /** of one that was replaced */
  port?: number;
  /** false returns as soon as the process is alive, before it is ready */
  waitForReady?: boolean;
}

export interface RunningService {
  url: string;
  internalUrl: string;
  database: TestDatabase;
  pool: Pool;
  process: ChildProcess;
  /** everything written to stdout and stderr so far */
  output(): string;
  /** SIGTERM; resolves with the exit code, and drops the database unless it was given */
  stop(): Promise<number | null>;
  /** SIGKILL, without a chance to clean up; the database stays */
  kill9(): Promise<void>;
  /** the same ports and database again, after `kill9` or a crash */
  restart(): Promise<void>;
  ready(): Promise<void>;
}

/** Runs the built service as a process of its own against a real database. */
export async function startService(options: ServiceOptions = {}): Promise<RunningService> {
  const role = options.role ?? 'api';
  const database = options.database ?? (await freshDatabase());
  const [port, internalPort] = [options.port ?? (await freePort()), await freePort()];
  const url = `http://127.0.0.1:${port}`;
  const internalUrl = `http://127.0.0.1:${internalPort}`;
  const env = {
    PATH: process.env['PATH'] ?? '',
    SERVICE_UI_BASE: url,
    SERVICE_PORT: String(port),
    SERVICE_INTERNAL_PORT: String(internalPort),
    SERVICE_COST_PORT: '0',
    ...environmentOf(database),
    ...options.env,
  };
  const written: string[] = [];
  const spawnOne = (): ChildProcess => {
    const root = options.root ?? ROOT;
    const child = spawn(process.execPath, [join(root, 'dist', role === 'api' ? 'main.js' : 'worker.js')], {
      cwd: root,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (part: string) => void written.push(part));
    }
    return child;
  };
  const service: RunningService = {
    url,
    internalUrl,
    database,
    pool: database.pool,
    process: spawnOne(),
    output: () => written.join(''),
    ready: () => waitFor(`${role === 'api' ? url : internalUrl}/health/ready`, service),
    stop: async () => {
      const code = await end(service.process, 'SIGTERM');
      if (!options.database) await database.drop();
      return code;
    },
    kill9: async () => {
      await end(service.process, 'SIGKILL');
    },
    restart: async () => {
      service.process = spawnOne();
      await service.ready();
    },
  };
  try {
    if (options.waitForReady !== false) await service.ready();
  } catch (error) {
    service.process.kill('SIGKILL');
    if (!options.database) await database.drop();
    throw error;
  }
  return service;
}

async function end(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'exit');
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}

async function waitFor(probe: string, service: RunningService): Promise<void> {
  for (const begun = Date.now(); Date.now() - begun < START_LIMIT_MS;) {
    if (service.process.exitCode !== null) break;
    const status = await fetch(probe).then(
      (answer) => answer.status,
      () => 0,
    );
    if (status === 200) return;
    await delay(25);
  }
  throw new Error(`the service did not become ready:\n${service.output()}`);
}

/**
 * Ports below those that systems give to outgoing connections, which would take one again before it is used. Each worker
 * of Jest has its own, and gives them in turn: a service takes some seconds before it listens.
 */
const PORTS_EACH = 2_750;
const WORKERS = 8;
const FIRST_PORT = 10_000 + (Number(process.env['JEST_WORKER_ID'] ?? 1) % WORKERS) * PORTS_EACH;
let nextPort = Math.floor(Math.random() * PORTS_EACH);

/** A port nobody listens on at this moment. */
export async function freePort(): Promise<number> {
  for (;;) {
    nextPort = (nextPort + 1) % PORTS_EACH;
    const port = FIRST_PORT + nextPort;
    const probe = createServer().listen(port);
    const isFree = await once(probe, 'listening').then(
      () => true,
      () => false,
    );
    if (!isFree) continue;
    probe.close();
    await once(probe, 'close');
    return port;
  }
}
