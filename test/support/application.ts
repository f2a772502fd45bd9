import type { Server } from 'node:http';
import type { Pool } from 'pg';
import request, { type Response } from 'supertest';
import { createApi } from '../../src/app/boot.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { useStructuredLogs } from '../../src/platform/logging/index.js';
import { expectDescribed } from './description-check.js';
import { environmentOf, freshDatabase, type TestDatabase } from './database.js';
import { GENEROUS } from './identity.js';

export interface ApplicationCall {
  /** sent as bearer */
  as?: string | undefined;
  body?: unknown;
  headers?: Record<string, string>;
}

/** The API in the process of the test: for suites that neither stop a process nor read its output or internal port. */
export interface Application {
  database: TestDatabase;
  pool: Pool;
  /** One call of a route, by its path below /api/v1. The answer is compared with docs/openapi.json. */
  request(method: string, path: string, call?: ApplicationCall): Promise<Response>;
  /** closes the application and drops its database */
  stop(): Promise<void>;
}

export async function startApplication(env: Record<string, string> = {}): Promise<Application> {
  const database = await freshDatabase();
  const config = loadConfig({
    SERVICE_UI_BASE: 'http://127.0.0.1:8080',
    SERVICE_LOG_LEVEL: 'fatal',
    ...environmentOf(database),
    ...env,
  });
  useStructuredLogs(config.get('SERVICE_LOG_LEVEL'));
  const app = await createApi(config, 'api');
  await app.listen(0, '127.0.0.1');
  const server = app.getHttpServer();
  return {
    database,
    pool: database.pool,
    request: (method, path, call = {}) => send(server, method, `/api/v1${path}`, call),
    stop: async () => {
      await app.close();
      await database.drop();
    },
  };
}

/** With limits out of the way of tests that are not about them. */
export function startGenerousApplication(env: Record<string, string> = {}): Promise<Application> {
  return startApplication({ ...GENEROUS, ...env });
}

async function send(
  server: Server,
  method: string,
  path: string,
  { as, body, headers = {} }: ApplicationCall,
): Promise<Response> {
  const outgoing = request(server)[methodOf(method)](path).redirects(0).set(headers);
  if (as !== undefined) outgoing.auth(as, { type: 'bearer' });
  const answer = await (body === undefined
    ? outgoing
    : outgoing.set('Content-Type', 'application/json').send(JSON.stringify(body)));
  expectDescribed({
    method,
    url: `http://application${path}`,
    status: answer.status,
    contentType: answer.get('content-type') ?? null,
    text: answer.text,
  });
  return answer;
}

const METHODS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'lock', 'unlock'] as const;

function methodOf(name: string): (typeof METHODS)[number] {
  const method = METHODS.find((each) => each === name.toLowerCase());
  if (method === undefined) throw new Error(`${name} is no method of the API`);
  return method;
}
