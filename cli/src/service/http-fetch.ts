import { Agent, type ClientRequest, type IncomingMessage, request as httpRequest } from 'node:http';
import type { Agent as SecureAgent } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Body, HttpRequest, HttpResponse, type Init } from './http-messages.js';

/** In milliseconds. */
export interface Limits {
  /** until a connection stands, its encryption included */
  connect: number;
  /** in which nothing is heard or taken */
  silence: number;
}

/** Those of Node's own fetch. */
const LIMITS: Limits = { connect: 10_000, silence: 300_000 };
/** Idle connections are given up sooner than servers do: one that is just being closed would lose the request. */
const KEPT = { keepAlive: true, timeout: 3000 };
/** What is said of a connection that the other side had closed. */
const CLOSED = new Set(['ECONNRESET', 'EPIPE']);
const IDEMPOTENT = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/**
 * fetch by `node:http`. Node's own takes a tenth of a second to load and start in the two processes of a plan and apply,
 * a sixth of both (`bench/scenarios/7-delta.mjs`), and keeps a copy of every stream it sends. Redirects are answered, not followed. An answer that comes before the body has
 * left ends the upload.
 */
export class HttpFetch {
  private readonly plain = new Agent(KEPT);
  private secure: SecureAgent | undefined;

  constructor(private readonly limits: Limits = LIMITS) {}

  readonly fetch = async (input: string | URL | HttpRequest, init?: Init): Promise<HttpResponse> => {
    const request = new HttpRequest(input, init);
    const incoming = await this.exchange(request);
    const isEmpty = incoming.statusCode === 204 || incoming.headers['content-length'] === '0';
    // Nobody reads what is empty, and a connection whose answer was not read keeps the process from ending.
    if (isEmpty) incoming.resume();
    if (isEmpty || incoming.headers['content-encoding'] !== 'gzip')
      return new HttpResponse(incoming, incoming, request.signal);
    const { createGunzip } = await import('node:zlib');
    // What breaks off on the way breaks off here too.
    const content = createGunzip();
    pipeline(incoming, content).catch(() => undefined);
    return new HttpResponse(incoming, content, request.signal);
  };

  /** Ends the connections that are kept, so that the process can end. */
  close(): void {
    this.plain.destroy();
    this.secure?.destroy();
  }

  private async exchange(request: HttpRequest): Promise<IncomingMessage> {
    request.signal?.throwIfAborted();
    // The rest of an upload that was answered early must not precede another request.
    const outgoing = await this.open(request, { isKept: !isStream(request.body) });
    try {
      return await answerTo(outgoing, request.body);
    } catch (error) {
      // Whoever called it off says why.
      request.signal?.throwIfAborted();
      const wasClosed = outgoing.reusedSocket && CLOSED.has((error as NodeJS.ErrnoException).code ?? '');
      // Of anything else it cannot be told whether it arrived.
      if (!wasClosed || !IDEMPOTENT.has(request.method) || isStream(request.body)) throw error;
      return answerTo(await this.open(request, { isKept: false }), request.body);
    }
  }

  private async open(
    { url, method, headers, body, signal }: HttpRequest,
    { isKept }: { isKept: boolean },
  ): Promise<ClientRequest> {
    const isSecure = url.startsWith('https:');
    const https = isSecure ? await import('node:https') : undefined;
    if (https) this.secure ??= new https.Agent(KEPT);
    const sent: Record<string, string> = {
      accept: '*/*',
      'accept-encoding': 'gzip',
      'user-agent': 'infrastate',
    };
    headers.forEach((value, name) => (sent[name] = value));
    // node:http says nothing of the body of a DELETE: the server would read it as the next request.
    if (body && !isStream(body)) sent['content-length'] = String(Buffer.byteLength(body));
    const outgoing = (https?.request ?? httpRequest)(url, {
      method,
      headers: sent,
      agent: isKept && (isSecure ? this.secure : this.plain),
      ...(signal ? { signal } : {}),
    });
    this.limit(outgoing, isSecure ? 'secureConnect' : 'connect');
    return outgoing;
  }

  private limit(outgoing: ClientRequest, connected: string): void {
    const giveUp = (): void => {
      outgoing.destroy(Object.assign(new Error('no answer in time'), { code: 'ETIMEDOUT' }));
    };
    let answer: IncomingMessage | undefined;
    outgoing.once('response', (incoming: IncomingMessage) => (answer = incoming));
    outgoing.setTimeout(this.limits.silence);
    outgoing.on('timeout', () => {
      // What has come is not taken yet: it is not the service that is silent.
      if (answer && isUntaken(answer)) outgoing.setTimeout(this.limits.silence);
      else giveUp();
    });
    outgoing.once('socket', (socket) => {
      if (!socket.connecting) return;
      // The agent's limit of idle connections is none of one that is being made.
      socket.setTimeout(0);
      const timer = setTimeout(giveUp, this.limits.connect);
      for (const [emitter, event] of [
        [socket, connected],
        [outgoing, 'close'],
      ] as const)
        emitter.once(event, () => clearTimeout(timer));
    });
  }
}

async function answerTo(outgoing: ClientRequest, body: Body | null): Promise<IncomingMessage> {
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
  });
  if (!isStream(body)) {
    outgoing.end(body ?? undefined);
    return answered;
  }
  // Whatever stops the upload ends the request too, unless the service has answered already.
  pipeline(Readable.fromWeb(body as never), outgoing).catch(() => undefined);
  const incoming = await answered;
  incoming.once('end', () => outgoing.destroy());
  return incoming;
}

/** Something has come, or whoever takes it as it flows has stopped that. */
function isUntaken(answer: IncomingMessage): boolean {
  return answer.readableLength > 0 || (answer.isPaused() && answer.listenerCount('readable') === 0);
}

function isStream(body: Body | null): body is ReadableStream<Uint8Array> {
  return typeof body === 'object' && body !== null && 'getReader' in body;
}
