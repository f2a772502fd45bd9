import { gzipSync } from 'node:zlib';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { headOf, RawClient } from '../../test/support/raw-client.js';
import { AppError } from '../platform/errors/index.js';
import { atPace } from '../platform/http/body-pace.js';
import { ClientLeft, readBody } from '../platform/http/index.js';
import { FrontDoor } from './front-door.js';

const LIMIT = 64 * 1024;

describe('The front door', () => {
  const doors: FrontDoor[] = [];
  const clients: RawClient[] = [];
  const failures: unknown[] = [];

  afterEach(async () => {
    for (const client of clients.splice(0)) client.end();
    for (const door of doors.splice(0)) await door.drain();
    failures.length = 0;
  });

  /** `POST /read` and `/hurry` read their body, everything else is answered without a look at it. */
  const listener: RequestListener = (request, response) => {
    if (request.url !== '/read' && request.url !== '/hurry') return answer(response, 200);
    const graceMs = request.url === '/hurry' ? 100 : 30_000;
    void readBody(request, { bytes: LIMIT, pace: { graceMs, msPerByte: 0, maxCreditMs: graceMs } }).then(
      (body) => answer(response, 200, String(body.length)),
      (error: unknown) => {
        failures.push(error);
        answer(response, error instanceof AppError ? error.status : 500);
      },
    );
  };

  function answer(response: ServerResponse, status: number, body = ''): void {
    response.writeHead(status, { 'Content-Length': body.length }).end(body);
  }

  async function aDoor(
    limits: ConstructorParameters<typeof FrontDoor>[0] = {},
    behind: RequestListener = listener,
  ): Promise<string> {
    const door = new FrontDoor(limits);
    doors.push(door);
    const port = await door.listen(0, 'none');
    door.open({ listener: behind, ready: () => Promise.resolve(true) });
    return `http://127.0.0.1:${port}`;
  }

  async function aClient(url: string): Promise<RawClient> {
    const client = await RawClient.open(url);
    clients.push(client);
    return client;
  }

  it.each([
    ['read too far', '/read', 200_000, 413],
    ['read much too far', '/read', 10_000_000, 413],
    ['not read at all', '/other', 200_000, 200],
    ['not read at all and large', '/other', 10_000_000, 200],
  ])('answers the next request on a connection whose body was %s', async (_name, path, size, status) => {
    const client = await aClient(await aDoor());
    client.send(headOf('POST', path, { 'Content-Length': size }));
    await client.sendAll(Buffer.alloc(size, 'x'));
    client.send(headOf('GET', '/next'));
    expect(await client.statuses(2)).toEqual([status, 200]);
  });

  it('closes a connection whose body does not end', async () => {
    const client = await aClient(await aDoor());
    client.send(headOf('POST', '/other', { 'Transfer-Encoding': 'chunked' }));
    const chunk = Buffer.concat([
      Buffer.from('100000\r\n'),
      Buffer.alloc(0x100000, 'x'),
      Buffer.from('\r\n'),
    ]);
    let sent = 0;
    while (!client.isClosed) {
      await client.sendAll(chunk);
      sent += chunk.length;
      await new Promise(setImmediate);
    }
    expect(await client.statuses(1)).toEqual([200]);
    // What is dropped, and what the system had buffered besides.
    expect(sent).toBeLessThan(600_000_000);
  });

  it('stops reading a compressed body at its limit', async () => {
    const bomb = gzipSync(Buffer.alloc(64 * 1024 * 1024));
    const client = await aClient(await aDoor());
    client.send(headOf('POST', '/read', { 'Content-Length': bomb.length, 'Content-Encoding': 'gzip' }));
    await client.sendAll(bomb);
    client.send(headOf('GET', '/next'));
    expect(await client.statuses(2)).toEqual([413, 200]);
  });

  it.each([
    ['gzip', gzipSync('twelve bytes'), 200],
    ['GZIP', Buffer.from('no gzip at all'), 400],
    ['br', Buffer.from('no brotli at all'), 400],
    ['br', Buffer.from([0xff, 0xff, 0xff]), 400],
    ['deflate', Buffer.from('no deflate'), 400],
    ['zstd', Buffer.from('unknown'), 400],
  ])('takes a body encoded as %s', async (encoding, body, status) => {
    const client = await aClient(await aDoor());
    client.send(headOf('POST', '/read', { 'Content-Length': body.length, 'Content-Encoding': encoding }));
    client.send(body);
    expect(await client.statuses(1)).toEqual([status]);
  });

  it('gives up on a body that does not come', async () => {
    const client = await aClient(await aDoor());
    client.send(headOf('POST', '/hurry', { 'Content-Length': 10 }) + 'five ');
    expect(await client.statuses(1)).toEqual([408]);
  });

  it('takes a client that leaves for what it is', async () => {
    const client = await aClient(await aDoor());
    client.send(headOf('POST', '/read', { 'Content-Length': 10 }) + 'five ');
    await new Promise((resolve) => setTimeout(resolve, 20));
    client.end();
    while (failures.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    expect(failures).toEqual([expect.any(ClientLeft)]);
  });

  it('closes connections on which no head arrives, and no connection that is idle between requests', async () => {
    const url = await aDoor({ headMs: 100 });
    const [silent, half, idle] = [await aClient(url), await aClient(url), await aClient(url)];
    idle.send(headOf('GET', '/one'));
    expect(await idle.statuses(1)).toEqual([200]);
    half.send('GET /other HTTP/1.1\r\nHost: x\r\n');
    await silent.untilClosed();
    await half.untilClosed();
    idle.send(headOf('GET', '/two'));
    expect(await idle.statuses(2)).toEqual([200, 200]);
  });

  it('has room for a new connection when all others are idle', async () => {
    const url = await aDoor({ maxConnections: 3 });
    for (let open = 0; open < 3; open++) {
      const client = await aClient(url);
      client.send(headOf('GET', '/one'));
      await client.statuses(1);
    }
    // The connection that was one too many is closed, and closes the idle ones.
    const turnedAway = await aClient(url);
    await turnedAway.untilClosed();
    const next = await aClient(url);
    next.send(headOf('GET', '/one'));
    expect(await next.statuses(1)).toEqual([200]);
  });

  it('cuts off a client that takes nothing of its answer, and leaves alone who waits for a slow one', async () => {
    let finish: (() => void) | undefined;
    const slow = (_request: IncomingMessage, response: ServerResponse): void => {
      finish = () => answer(response, 200);
    };
    const url = await aDoor({ stalledAnswerMs: 100 }, (request, response) => {
      if (request.url === '/slow') return slow(request, response);
      response.writeHead(200);
      response.end(Buffer.alloc(64 * 1024 * 1024));
    });
    const patient = await aClient(url);
    patient.send(headOf('GET', '/slow'));
    const stalled = await RawClient.open(url);
    stalled.pause();
    stalled.send(headOf('GET', '/large'));
    const closed = new Promise<void>((resolve) => {
      // A paused socket learns of its end only when it writes.
      const probe = setInterval(() => {
        if (!stalled.isClosed) return stalled.send('x');
        clearInterval(probe);
        resolve();
      }, 20);
    });
    await closed;
    finish?.();
    expect(await patient.statuses(1)).toEqual([200]);
  });
});

describe('The pace of a body', () => {
  const pace = { graceMs: 60, msPerByte: 1, maxCreditMs: 100 };

  async function* parts(sizes: readonly number[], silenceMs: number): AsyncGenerator<Buffer> {
    for (const size of sizes) {
      await new Promise((resolve) => setTimeout(resolve, silenceMs));
      yield Buffer.alloc(size);
    }
  }

  async function sizeOf(bytes: AsyncGenerator<Buffer>): Promise<number> {
    let size = 0;
    for await (const part of bytes) size += part.length;
    return size;
  }

  it('lets a sender go on that earns its waiting', async () => {
    expect(await sizeOf(atPace(parts(Array<number>(20).fill(1000), 5), pace))).toBe(20_000);
  });

  it('ends with a sender that only drips', async () => {
    await expect(sizeOf(atPace(parts(Array<number>(1000).fill(1), 5), pace))).rejects.toMatchObject({
      status: 408,
    });
  });

  it('does not count the time the receiver takes', async () => {
    const bytes = atPace(parts([1, 1, 1], 0), pace);
    let count = 0;
    for await (const part of bytes) {
      count += part.length;
      await new Promise((resolve) => setTimeout(resolve, 80));
    }
    expect(count).toBe(3);
  });
});
