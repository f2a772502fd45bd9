import { createHash } from 'node:crypto';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { PlayedRunService } from '../../../test/support/played-run-service.js';
import { EXIT_CODES, exitCodeOf, failureOf } from '../failure.js';
import { PROTOCOL, RunnerCalls } from './protocol.js';

const digestOf = (bytes: Buffer): string =>
  `sha-256=:${createHash('sha256').update(bytes).digest('base64')}:`;

describe('An answer that is cut', () => {
  it('is asked for again, in its head or in its body', async () => {
    const plan = Buffer.alloc(1000, 7);
    let asked = 0;
    const server = createServer((request, response) => {
      request.resume();
      asked += 1;
      if (asked === 1) return void request.socket.destroy();
      response.setHeader('content-length', plan.length);
      response.setHeader('repr-digest', digestOf(plan));
      if (asked === 2) return void response.write(plan.subarray(0, 400), () => request.socket.destroy());
      response.end(plan);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    expect(plan.equals(await new RunnerCalls(base, 'token').readPlan(0))).toBe(true);
    expect(asked).toBe(3);
    server.closeAllConnections();
    server.close();
  });
});

describe('A plan file', () => {
  const plan = Buffer.from('what people read');

  it.each<[string, string | undefined, string]>([
    ['without a checksum', undefined, 'came without its checksum'],
    ['with another checksum', digestOf(Buffer.from('other')), 'does not have its checksum'],
    ['with a checksum of another kind', 'sha-512=:AAAA:', 'does not have its checksum'],
  ])('%s is refused', async (_, digest, message) => {
    const server = createServer((request, response) => {
      request.resume();
      if (digest !== undefined) response.setHeader('repr-digest', digest);
      response.end(plan);
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    await expect(new RunnerCalls(base, 'token').readPlan(0)).rejects.toThrow(message);
    server.closeAllConnections();
    server.close();
  });
});

describe('A plan file that is sent', () => {
  const refusing = async (refusals: { id: string; times: number }) => {
    const received: string[] = [];
    const server = createServer((request, response) => {
      let body = '';
      request.setEncoding('utf8').on('data', (text: string) => (body += text));
      request.once('end', () => {
        received.push(body);
        const isRefused = received.length <= refusals.times;
        response.statusCode = isRefused ? 409 : 204;
        response.end(isRefused ? JSON.stringify({ id: refusals.id, data: 'refused' }) : undefined);
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
    const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const outcome = await new RunnerCalls(base, 'token')
      .storePlan(0, Buffer.from('plan'))
      .then(() => 'stored', failureOf);
    server.closeAllConnections();
    server.close();
    return { outcome, received };
  };

  it('is sent again when an earlier attempt arrived late and took its place', async () => {
    const { outcome, received } = await refusing({ id: 'PLAN_FILE_REPLACED', times: 2 });
    expect(outcome).toBe('stored');
    expect(received).toEqual(['plan', 'plan', 'plan']);
  });

  it('is not sent again when the run has ended', async () => {
    const { outcome, received } = await refusing({ id: 'RUN_ENDED', times: 1 });
    expect(outcome).toMatchObject({ id: 'RUN_ENDED' });
    expect(received).toHaveLength(1);
  });
});

describe('A claim', () => {
  it('is given up at once when the runner stops, and retried no more', async () => {
    const service = await PlayedRunService.start();
    const stopping = new AbortController();
    const runner = { version: '1.0.0', name: 'machine' };
    const claims = [1, 2].map(() =>
      new RunnerCalls(service.url, 'token').claim(25, runner, stopping.signal).catch(failureOf),
    );
    for (let n = 0; service.claims < 2 && n < 500; n++) await delay(10);
    stopping.abort();
    expect(await Promise.all(claims)).toEqual([
      expect.objectContaining({ id: 'UNREACHABLE' }),
      expect.objectContaining({ id: 'UNREACHABLE' }),
    ]);
    expect(service.claims).toBe(2);
    service.claimable.push('not claimed');
    await new RunnerCalls(service.url, 'token').claim(25, runner, stopping.signal).catch(failureOf);
    expect(service.claimable).toEqual(['not claimed']);
    service.stop();
  });
});

describe('The version of the runner protocol', () => {
  let server: Server;
  let spoken: unknown;

  beforeAll(async () => {
    server = createServer((request, response) => {
      request.resume().on('end', () => {
        response.setHeader('content-type', 'application/json');
        response.end(JSON.stringify({ protocol: spoken, id: 'run' }));
      });
    });
    await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve));
  });
  afterAll(() => {
    server.closeAllConnections();
    server.close();
  });

  const base = (): string => `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  it('lets a run begin when both speak the same', async () => {
    spoken = PROTOCOL;
    expect(await new RunnerCalls(base(), 'token').work()).toEqual({ protocol: PROTOCOL, id: 'run' });
  });

  it.each([PROTOCOL + 1, 0, undefined])('refuses the run when the service speaks %s', async (version) => {
    spoken = version;
    const work = new RunnerCalls(base(), 'token').work();
    const failure = failureOf(await work.catch((error: unknown) => error));
    expect(failure).toMatchObject({
      id: 'RUNNER_TOO_OLD',
      message: expect.stringContaining('update the client') as string,
    });
    expect(exitCodeOf(failure)).toBe(EXIT_CODES.failure);
  });
});
