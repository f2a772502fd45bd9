import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { patientFetch } from './patient-fetch.js';

describe('fetch with patience', () => {
  let server: Server;
  let address: string;
  /** what arrived; the service is busy that many times */
  let seen: string[];
  let busy: number;
  /** the connection breaks off that many times */
  let broken = 0;

  beforeAll(async () => {
    server = createServer((request, response) => {
      void text(request).then((body) => {
        seen.push(`${request.method} ${body}`);
        if (seen.length <= broken) request.socket.destroy();
        else if (seen.length > busy) response.end('done');
        else if (request.url === '/unended') response.writeHead(503, { 'retry-after': '0' }).write('busy');
        else response.writeHead(429, { 'retry-after': '0' }).end();
      });
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    seen = [];
    broken = 0;
  });

  it('asks again when the connection was lost, and sends nothing twice', async () => {
    [busy, broken] = [0, 2];
    const response = await patientFetch({ repeat: 'safe' })(address);
    expect(await response.text()).toBe('done');
    expect(seen).toHaveLength(3);
    seen = [];
    const sent = patientFetch({ repeat: 'safe' })(address, { method: 'POST', body: 'content' });
    await expect(sent).rejects.toThrow('fetch failed');
    expect(seen).toEqual(['POST content']);
  });

  it('does not wait where nobody listens', async () => {
    await expect(patientFetch({ repeat: 'safe' })('http://127.0.0.1:1')).rejects.toThrow('fetch failed');
  });

  it('sends the same body again where that does no harm', async () => {
    busy = 2;
    const notes: string[] = [];
    const send = patientFetch({ repeat: 'all', waiting: (note) => notes.push(note) });
    const response = await send(address, { method: 'POST', body: 'content' });
    expect(await response.text()).toBe('done');
    expect(seen).toEqual(['POST content', 'POST content', 'POST content']);
    expect(notes).toHaveLength(2);
  });

  it('answers what it got where trying again could do harm', async () => {
    busy = 1;
    const send = patientFetch({ repeat: 'safe' });
    expect((await send(address, { method: 'POST', body: 'content' })).status).toBe(429);
    expect(seen).toEqual(['POST content']);
  });

  it('does not wait for the end of an answer that says so', async () => {
    busy = 1;
    const response = await patientFetch({ repeat: 'safe' })(`${address}/unended`);
    expect(await response.text()).toBe('done');
  });

  it('gives up on a service that stays busy', async () => {
    busy = Infinity;
    const send = patientFetch({ repeat: 'safe' });
    expect((await send(address)).status).toBe(429);
    expect(seen).toHaveLength(5);
  });
});
