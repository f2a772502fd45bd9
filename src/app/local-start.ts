import { resolve } from 'node:path';
import { waitingPage } from '../modules/console/index.js';
import { type Config, loadConfig } from '../platform/config/index.js';
import { formatEncryptionKeys } from '../platform/crypto/index.js';
import {
  EmbeddedPostgres,
  EmbeddedPostgresError,
  reachableDirectory,
} from '../platform/database/embedded-postgres/index.js';
import { type OperatorPorts, serveApi } from './boot.js';
import { encryptionKeysFor } from './encryption-key-file.js';
import { FrontDoor } from './front-door.js';
import { Lifecycle, StartError } from './lifecycle.js';

const ROLE = 'service';
/** Before setup whoever comes first is the administrator: other machines are let in by name only. */
const LOOPBACK = '127.0.0.1';
const PENDING = { DB_HOST: '127.0.0.1', DB_USER: ROLE, DB_PASS: 'not known yet', DB_NAME: ROLE };
/** In place of the keys in the data folder, whose address is part of the configuration. */
const PENDING_KEYS = formatEncryptionKeys([{ id: 'pending', key: Buffer.alloc(32) }]);

/** Everything in one process for a first try or a small team: database, API and queue consumers. */
export async function startLocal(lifecycle: Lifecycle, environment: NodeJS.ProcessEnv): Promise<void> {
  const early = loadConfig({
    SERVICE_UI_BASE: 'http://localhost',
    ...environment,
    ...PENDING,
    SERVICE_ENCRYPTION_KEYS: environment['SERVICE_ENCRYPTION_KEYS'] || PENDING_KEYS,
  });
  const door = new FrontDoor({
    maxConnections: early.get('SERVICE_MAX_CONNECTIONS'),
    waitingPage: waitingPage(early),
  });
  const host = early.get('SERVICE_HOST') ?? LOOPBACK;
  const port = await door.listen(early.get('SERVICE_PORT'), 'SERVICE_PORT', host);
  const wanted = resolve(early.get('SERVICE_DATA_DIR'));
  const directory = environment['SERVICE_DATA_DIR'] ? wanted : reachableDirectory(wanted);
  const database = await startDatabase(lifecycle, directory);
  const defaults = {
    SERVICE_UI_BASE: `http://localhost:${port}`,
    SERVICE_INTERNAL_PORT: '0',
    SERVICE_COST_PORT: '0',
    SERVICE_LOG_LEVEL: 'warn',
  };
  const keys = encryptionKeysFor(directory, environment['SERVICE_ENCRYPTION_KEYS']);
  const config = loadConfig({
    ...defaults,
    ...environment,
    ...database,
    SERVICE_HOST: host,
    SERVICE_ENCRYPTION_KEYS: keys,
  });
  const ports = await serveApi(lifecycle, config, 'local', door);
  process.stdout.write(greeting(config, directory, ports));
}

async function startDatabase(lifecycle: Lifecycle, directory: string): Promise<Record<string, string>> {
  try {
    const server = await EmbeddedPostgres.start({ directory });
    lifecycle.onStop(() => server.stop());
    const role = await server.role(ROLE);
    await server.database(ROLE, ROLE);
    return {
      DB_HOST: role.host,
      DB_PORT: String(role.port),
      DB_USER: role.user,
      DB_PASS: role.password,
      DB_NAME: ROLE,
    };
  } catch (error) {
    throw error instanceof EmbeddedPostgresError ? new StartError(error.message) : error;
  }
}

function greeting(config: Config, directory: string, ports: OperatorPorts): string {
  const address = config.get('SERVICE_UI_BASE');
  const costs = ports.cost === undefined ? '' : `\n  Costs     http://localhost:${ports.cost}/readyz`;
  return `
  Infrastructure State Service   ${address}

  Open ${address} in a browser: the first visit creates the administrator, later you sign in.
  Without a browser: "The same with curl" in README.md

  Data      ${directory}
  Metrics   http://localhost:${ports.internal}/metrics${costs}
  Listens   ${reachOf(config.get('SERVICE_HOST') ?? LOOPBACK)}
  Stop      Ctrl-C

`;
}

function reachOf(host: string): string {
  return host === LOOPBACK
    ? `on ${host} only; for other machines start with SERVICE_HOST=0.0.0.0 and SERVICE_SETUP_TOKEN=<a secret>`
    : `on ${host}, metrics included`;
}
