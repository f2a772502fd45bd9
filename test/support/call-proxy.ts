import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * What happens to one request: `lost-request` never reaches the server; `cut-request` reaches it by half; `lost-answer` is
 * done, and its answer is lost; `cut-answer` is done, and half of its answer arrives.
 */
export const DISTURBANCES = ['lost-request', 'cut-request', 'lost-answer', 'cut-answer'] as const;
export type Fate = 'pass' | (typeof DISTURBANCES)[number];

export interface Call {
  method: string;
  /** without the query */
  path: string;
  body: Buffer;
}

interface Answer {
  status: number;
  headers: IncomingMessage['headers'];
  body: Buffer;
}

export interface CallProxyOptions {
  /** asked before anything is passed on */
  fate: (call: Call) => Fate | Promise<Fate>;
  /** told once the server has answered, before the answer is passed on */
  answered?: (call: Call) => void | Promise<void>;
}

/** An HTTP proxy on loopback that fails as told, request by request. */
export class CallProxy {
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(target: string, options: CallProxyOptions): Promise<CallProxy> {
    const server = createServer((incoming, outgoing) => {
      pass(target, incoming, outgoing, options).catch(() => incoming.socket.destroy());
    });
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new CallProxy(server, `http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  }

  stop(): void {
    this.server.closeAllConnections();
    this.server.close();
  }
}

async function pass(
  target: string,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
  { fate, answered }: CallProxyOptions,
): Promise<void> {
  const body = await bytesOf(incoming);
  const { method = 'GET', url = '/' } = incoming;
  const call = { method, path: url.replace(/\?.*/, ''), body };
  const happens = await fate(call);
  if (happens === 'lost-request') return void incoming.socket.destroy();
  if (happens === 'cut-request') {
    await sendHalf(target, incoming, body);
    return void incoming.socket.destroy();
  }
  const answer = await forward(target, incoming, body);
  await answered?.(call);
  if (happens === 'lost-answer') return void incoming.socket.destroy();
  const { status, headers } = answer;
  delete headers['transfer-encoding'];
  // 204 and 304 have no length.
  if (answer.body.length > 0) headers['content-length'] = String(answer.body.length);
  outgoing.writeHead(status, headers);
  if (happens === 'pass') return void outgoing.end(answer.body);
  outgoing.write(answer.body.subarray(0, Math.floor(answer.body.length / 2)), () =>
    incoming.socket.destroy(),
  );
}

function forward(target: string, { method, url, headers }: IncomingMessage, body: Buffer): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const onward = request(`${target}${url}`, { method, headers, agent: false }, (answer) => {
      bytesOf(answer).then(
        (bytes) => resolve({ status: answer.statusCode ?? 502, headers: answer.headers, body: bytes }),
        reject,
      );
    });
    onward.once('error', reject).end(body);
  });
}

/** Half of the body, of which the head says the whole length; of a request without a body half of the head. */
async function sendHalf(
  target: string,
  { method, url, headers }: IncomingMessage,
  body: Buffer,
): Promise<void> {
  if (body.length < 2) return;
  const onward = request(`${target}${url}`, {
    method,
    headers: { ...headers, 'content-length': String(body.length) },
    agent: false,
  });
  const ended = once(onward, 'close');
  onward.on('error', () => undefined);
  onward.write(body.subarray(0, Math.floor(body.length / 2)), () => setImmediate(() => onward.destroy()));
  await ended;
}

async function bytesOf(stream: AsyncIterable<Buffer>): Promise<Buffer> {
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part);
  return Buffer.concat(parts);
}
