import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Logger } from '@nestjs/common';
import { loadConfig } from '../../platform/config/index.js';
import { Clock } from '../../platform/time/clock.js';
import { OAuthProvider } from './oauth-provider.js';

describe('a single sign-on provider that cannot be asked', () => {
  let server: Server;
  const said: unknown[] = [];

  beforeAll(async () => {
    const keep = (message: unknown) => void said.push(message);
    Logger.overrideLogger({ log: keep, warn: keep, error: keep });
    server = createServer((_request, response) => {
      response.writeHead(200, { 'Content-Type': 'application/json' });
      response.end(JSON.stringify({ issuer: 'https://elsewhere.example' }));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  it('is logged as a kind of failure, without its text', async () => {
    const config = loadConfig({
      SERVICE_UI_BASE: 'http://localhost',
      DB_HOST: 'x',
      DB_USER: 'x',
      DB_PASS: 'x',
      DB_NAME: 'x',
      SERVICE_OAUTH_TYPE: 'oidc',
      SERVICE_OAUTH_CLIENT_ID: 'id',
      SERVICE_OAUTH_CLIENT_SECRET: 'secret',
      SERVICE_OAUTH_OIDC_ISSUER_URL: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    });
    await expect(new OAuthProvider(config, new Clock()).discover()).rejects.toMatchObject({ status: 503 });
    expect(said).toEqual([
      {
        msg: 'single sign-on provider unreachable',
        kind: expect.stringMatching(/^\w+( \w+)?$/) as string,
        stack: expect.stringMatching(/^ {4}at /) as string,
      },
    ]);
  });
});
