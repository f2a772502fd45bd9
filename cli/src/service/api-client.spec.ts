import { authOptions, tenantStatesList } from '@infrastate/sdk';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answer, createApiClient } from './api-client.js';

describe('the client of the service', () => {
  let server: Server;
  let address: string;
  const seen: (string | undefined)[] = [];

  beforeAll(async () => {
    server = createServer((request, response) => {
      const { authorization } = request.headers;
      seen.push(`${authorization} ${request.url}`);
      const isOptions = request.url === '/api/v1/login/options';
      const known = authorization === 'Bearer key' || isOptions;
      response.writeHead(known ? 200 : 401, { 'content-type': 'application/json' });
      const body = isOptions ? '{"options":[]}' : '{"results":[]}';
      response.end(known ? body : '{"id":"UNAUTHENTICATED","data":"who are you"}');
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => server.close());
  beforeEach(() => seen.splice(0));

  it('sends the key as bearer, and no key where none is needed', async () => {
    const client = createApiClient({ address, apiKey: 'key' });
    expect(await answer(tenantStatesList({ client, path: { tenantId: 'a/b' } }))).toEqual({ results: [] });
    await answer(authOptions({ client }));
    expect(seen).toEqual(['Bearer key /api/v1/tenants/a%2Fb/states', 'undefined /api/v1/login/options']);
  });

  it('throws what the service says, with what to do about it', async () => {
    const client = createApiClient({ address, apiKey: 'other' });
    await expect(tenantStatesList({ client, path: { tenantId: 'a' } })).rejects.toMatchObject({
      id: 'UNAUTHENTICATED',
      message: 'who are you',
      status: 401,
      hint: 'infrastate login signs in again',
    });
  });
});
