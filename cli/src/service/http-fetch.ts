import { Agent, type IncomingMessage, request as httpRequest } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

type Body = string | Uint8Array | ReadableStream<Uint8Array>;
interface Init {
  method?: string;
  headers?: HeaderList | Record<string, string>;
  body?: Body | null;
  signal?: AbortSignal | null;
}

/** Shorter than any server keeps an idle connection: one that is just being closed would lose the request. */
const IDLE_MS = 3000;
const agent = new Agent({ keepAlive: true, timeout: IDLE_MS });

/** What the SDK uses of `Headers`. */
export class HeaderList {
  private readonly values = new Map<string, string>();

  constructor(init: Init['headers'] = {}) {
    const entries = init instanceof HeaderList ? init.values : Object.entries(init);
    for (const [name, value] of entries) this.append(name, value);
  }

  get(name: string): string | null {
    return this.values.get(name.toLowerCase()) ?? null;
  }

  has(name: string): boolean {
    return this.values.has(name.toLowerCase());
  }

  set(name: string, value: unknown): void {
    this.values.set(name.toLowerCase(), String(value));
  }

  append(name: string, value: unknown): void {
    const before = this.get(name);
    this.set(name, before === null ? value : `${before}, ${String(value)}`);
  }

  delete(name: string): void {
    this.values.delete(name.toLowerCase());
  }

  forEach(each: (value: string, name: string) => void): void {
    this.values.forEach(each);
  }
}

/** What the SDK uses of `Request`. */
export class HttpRequest {
  readonly url: string;
  readonly method: string;
  readonly headers: HeaderList;
  readonly body: Body | null;
  readonly signal: AbortSignal | undefined;

  constructor(input: string | URL | HttpRequest, init: Init = {}) {
    const given = input instanceof HttpRequest ? input : undefined;
    this.url = given?.url ?? (input as string | URL).toString();
    this.method = init.method ?? given?.method ?? 'GET';
    this.headers = new HeaderList(init.headers ?? given?.headers);
    this.body = init.body ?? given?.body ?? null;
    this.signal = init.signal ?? given?.signal;
  }

  /** Shares the body, which can be sent again unless it is a stream. */
  clone(): HttpRequest {
    return new HttpRequest(this);
  }
}

/** What the SDK uses of `Response`. */
export class HttpResponse {
  readonly status: number;
  readonly headers = new HeaderList();
  private web: ReadableStream<Uint8Array> | undefined;

  constructor(
    incoming: Pick<IncomingMessage, 'statusCode' | 'headers'>,
    private readonly content: Readable,
  ) {
    this.status = incoming.statusCode ?? 0;
    // Whoever reads it is told; of an answer that nobody reads it does not matter.
    content.on('error', () => undefined);
    for (const [name, value] of Object.entries(incoming.headers)) this.headers.set(name, value);
  }

  get ok(): boolean {
    return this.status >= 200 && this.status < 300;
  }

  get body(): ReadableStream<Uint8Array> {
    return (this.web ??= Readable.toWeb(this.content) as ReadableStream<Uint8Array>);
  }

  async text(): Promise<string> {
    const parts: Buffer[] = [];
    for await (const part of this.content) parts.push(part as Buffer);
    return Buffer.concat(parts).toString();
  }

  async json(): Promise<unknown> {
    return JSON.parse(await this.text());
  }
}

/**
 * fetch by `node:http`. Node's own takes a tenth of a second to load and start, which is a sixth of a plan and apply, and
 * keeps a copy of every stream it sends. Redirects are answered, not followed. An answer that comes before the body has
 * left ends the upload.
 */
export async function httpFetch(input: string | URL | HttpRequest, init?: Init): Promise<HttpResponse> {
  const request = new HttpRequest(input, init);
  const incoming = await answerOf(request);
  const isEmpty = incoming.statusCode === 204 || incoming.headers['content-length'] === '0';
  // Nobody reads what is empty, and a connection whose answer was not read keeps the process from ending.
  if (isEmpty) incoming.resume();
  if (isEmpty || incoming.headers['content-encoding'] !== 'gzip') return new HttpResponse(incoming, incoming);
  const { createGunzip } = await import('node:zlib');
  // What breaks off on the way breaks off here too.
  const content = createGunzip();
  pipeline(incoming, content).catch(() => undefined);
  return new HttpResponse(incoming, content);
}

async function answerOf({ url, method, headers, body, signal }: HttpRequest): Promise<IncomingMessage> {
  const isSecure = url.startsWith('https:');
  const send = isSecure ? (await import('node:https')).request : httpRequest;
  const sent: Record<string, string> = {
    accept: '*/*',
    'accept-encoding': 'gzip',
    'user-agent': 'infrastate',
  };
  headers.forEach((value, name) => (sent[name] = value));
  const isStream = typeof body === 'object' && body !== null && 'getReader' in body;
  // node:http says nothing of the body of a DELETE: the server would read it as the next request.
  if (body && !isStream) sent['content-length'] = String(Buffer.byteLength(body));
  const outgoing = send(url, {
    method,
    headers: sent,
    // The rest of an upload that was answered early must not precede another request.
    ...(isStream ? { agent: false as const } : isSecure ? {} : { agent }),
    ...(signal ? { signal } : {}),
  });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
  });
  if (!isStream) outgoing.end(body ?? undefined);
  // Whatever stops the upload ends the request too, unless the service has answered already.
  else pipeline(Readable.fromWeb(body as never), outgoing).catch(() => undefined);
  const incoming = await answered;
  if (isStream) incoming.once('end', () => outgoing.destroy());
  return incoming;
}

/** In the place of Node's own, before anything asks for one of them. */
export function installHttpFetch(): void {
  Object.assign(globalThis, {
    Headers: HeaderList,
    Request: HttpRequest,
    Response: HttpResponse,
    fetch: httpFetch,
  });
}
