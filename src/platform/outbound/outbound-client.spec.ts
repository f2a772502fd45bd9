import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { OutboundClient, OutboundFailure, type OutboundRequest } from './outbound-client.js';

describe('An outbound request', () => {
  let server: Server;
  let answer: (request: IncomingMessage, response: ServerResponse) => void;
  let base: string;
  let seen: IncomingMessage[];
  const observed: number[] = [];
  const client = new OutboundClient({
    now: () => new Date(),
    headerTimeoutMs: 200,
    bodyTimeoutMs: 200,
    observe: (_request, { status }) => void observed.push(status),
  });

  beforeAll(async () => {
    server = createServer((request, response) => {
      seen.push(request);
      request.resume().once('end', () => answer(request, response));
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });
  beforeEach(() => {
    seen = [];
    observed.length = 0;
  });

  const send = (further: Partial<OutboundRequest> = {}) =>
    client.send({ url: `${base}/`, route: 'GET /', owner: 'test', ...further });

  it('is sent again after failures, as the server asks for', async () => {
    answer = (_request, response) =>
      void response.writeHead(seen.length < 3 ? 503 : 200, { 'Retry-After': '0' }).end('fine');
    expect((await send()).body.toString()).toBe('fine');
    expect(observed).toEqual([503, 503, 200]);
  });

  it('a request that must not be repeated is sent once, unless a rate limit refused it', async () => {
    answer = (_request, response) => void response.writeHead(503, { 'Retry-After': '0' }).end();
    expect((await send({ method: 'POST', json: {} })).status).toBe(503);
    expect(seen).toHaveLength(1);
    answer = (_request, response) =>
      void response.writeHead(seen.length < 3 ? 429 : 201, { 'Retry-After': '0' }).end();
    expect((await send({ method: 'POST', json: {} })).status).toBe(201);
  });

  it('does not wait longer than its caller can', async () => {
    answer = (_request, response) => void response.writeHead(503, { 'Retry-After': '60' }).end();
    await expect(send()).rejects.toMatchObject({ retryAfterMs: 60_000 });
    const stop = new AbortController();
    const waiting = send({ signal: stop.signal });
    setTimeout(() => stop.abort(), 50);
    await expect(waiting).rejects.toBeInstanceOf(OutboundFailure);
  });

  it('ends when no answer comes, when the body stalls, and when it is too large', async () => {
    const patient = { isRepeatable: false };
    answer = () => undefined;
    await expect(send(patient)).rejects.toBeInstanceOf(OutboundFailure);
    answer = (_request, response) => void response.writeHead(200).write('begun');
    await expect(send(patient)).rejects.toBeInstanceOf(OutboundFailure);
    answer = (_request, response) => void response.writeHead(200, { 'Content-Length': '3' }).end('abc');
    expect((await send({ ...patient, maxBytes: 3 })).status).toBe(200);
    answer = (_request, response) => void response.writeHead(200).end('x'.repeat(100_000));
    await expect(send({ ...patient, maxBytes: 50_000 })).rejects.toBeInstanceOf(OutboundFailure);
  });

  it('is conditional where an answer had an ETag, for its owner only', async () => {
    answer = (request, response) => {
      const isKnown = request.headers['if-none-match'] === '"a"';
      response.writeHead(isKnown ? 304 : 200, { ETag: '"a"' }).end(isKnown ? undefined : 'body');
    };
    const url = `${base}/etag`;
    for (let times = 0; times < 2; times += 1) expect((await send({ url })).body.toString()).toBe('body');
    await send({ url, owner: 'another' });
    expect(seen.map(({ headers }) => headers['if-none-match'])).toEqual([undefined, '"a"', undefined]);
  });

  it('takes its credential to no other host', async () => {
    const other = createServer((_request, response) => void response.end('stolen')).listen(0, '127.0.0.1');
    await once(other, 'listening');
    const target = `http://127.0.0.1:${(other.address() as AddressInfo).port}/`;
    answer = (request, response) =>
      void (request.url === '/away'
        ? response.writeHead(302, { Location: target }).end()
        : request.url === '/moved'
          ? response.writeHead(301, { Location: '/here' }).end()
          : response.end('here'));
    expect((await send({ url: `${base}/away` })).status).toBe(302);
    expect((await send({ url: `${base}/moved` })).body.toString()).toBe('here');
    other.close();
  });

  it('waits for others of its owner, ten at a time', async () => {
    let most = 0;
    let running = 0;
    answer = (_request, response) => {
      running += 1;
      most = Math.max(most, running);
      setTimeout(() => {
        running -= 1;
        response.end();
      }, 20);
    };
    await Promise.all(Array.from({ length: 35 }, () => send({ url: `${base}/queue` })));
    expect(most).toBe(10);
  });
});
