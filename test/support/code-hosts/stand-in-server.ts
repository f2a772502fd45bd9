import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

export interface StandInRequest {
  method: string;
  /** with the query */
  url: URL;
  headers: IncomingMessage['headers'];
  bytes: Buffer;
  json: Record<string, unknown>;
  form: URLSearchParams;
}

export interface StandInAnswer {
  status?: number;
  json?: unknown;
  /** a page for people */
  html?: string;
  text?: string;
  bytes?: Buffer;
  headers?: Record<string, string>;
}

/** What the next matching requests get instead of an answer. */
export interface Failure {
  matches: RegExp;
  times?: number;
  status?: number;
  headers?: Record<string, string>;
  json?: unknown;
  /** before the answer; with no `status` the real answer follows */
  delayMs?: number;
  /** the answer waits for this */
  until?: Promise<unknown>;
  /** the connection is cut without an answer */
  isCut?: boolean;
  /** it is done, and the answer is lost on its way */
  isLost?: boolean;
}

type Handler = (request: StandInRequest, ...captured: string[]) => StandInAnswer | Promise<StandInAnswer>;

export interface Route {
  method: string;
  path: RegExp;
  handle: Handler;
}

/** A real HTTP server on loopback that answers like a code host, and fails on demand. */
export abstract class StandInServer {
  /** every request, as `METHOD /path?query` */
  readonly log: string[] = [];
  readonly directory = mkdtempSync(join(tmpdir(), 'code-host-'));
  private readonly failures: (Failure & { left: number })[] = [];
  private server: Server | undefined;
  private base = '';
  /** of every answer */
  latencyMs = 0;
  /** before which nothing is answered */
  private released: Promise<void> = Promise.resolve();
  /** Decides about each request, besides the failures; undefined: it passes. */
  disturb: ((line: string) => 'isCut' | 'isLost' | undefined) | undefined;
  /** what every answer has besides, for example a rate limit */
  headers: Record<string, string> = {};

  /** looked at before the routes of the provider */
  readonly pages: Route[] = [];
  /** `user:password` of people who may clone and push */
  readonly gitLogins = new Set<string>();
  /** called with the path of a repository after somebody pushed to it */
  onPush: (repositoryPath: string) => void = () => undefined;

  protected abstract readonly routes: readonly Route[];
  /** Handles `/git/…`; false when there is no such repository or the credential is refused. */
  protected abstract serveGit(request: IncomingMessage, response: ServerResponse, path: string): boolean;

  get url(): string {
    return this.base;
  }

  /** `name`: how the address names this machine. */
  async start({ port = 0, name = '127.0.0.1' }: { port?: number; name?: string } = {}): Promise<this> {
    this.server = createServer((request, response) => void this.serve(request, response)).listen(
      port,
      '127.0.0.1',
    );
    await once(this.server, 'listening');
    this.base = `http://${name}:${(this.server.address() as AddressInfo).port}`;
    return this;
  }

  async stop(): Promise<void> {
    this.server?.closeAllConnections();
    this.server?.close();
    rmSync(this.directory, { recursive: true, force: true });
  }

  fail(failure: Failure): void {
    this.failures.push({ ...failure, left: failure.times ?? 1 });
  }

  healed(): void {
    this.failures.length = 0;
  }

  /** Answers nothing until the function is called that this returns. */
  hold(): () => void {
    let release = (): void => undefined;
    this.released = new Promise((resolve) => (release = resolve));
    return release;
  }

  /** Requests whose `METHOD /path` matches. */
  requests(matches: RegExp): string[] {
    return this.log.filter((line) => matches.test(line));
  }

  private async serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    // A page of another site whose name leads to this machine must not act as the person who tries this out.
    if (!isLoopback(request.headers.host)) return send(response, refuse(421, 'this host is not served here'));
    const url = new URL(request.url ?? '/', this.base);
    const line = `${request.method} ${url.pathname}${url.search}`;
    this.log.push(line);
    if (url.pathname.startsWith('/git/')) {
      const pushed = /^\/git\/(.+)\.git\/git-receive-pack$/.exec(url.pathname)?.[1];
      if (pushed !== undefined) response.once('finish', () => this.onPush(pushed));
      if (!this.serveGit(request, response, url.pathname))
        response.writeHead(401, { 'WWW-Authenticate': 'Basic realm="git"' }).end();
      return;
    }
    const parts: Buffer[] = [];
    for await (const part of request as AsyncIterable<Buffer>) parts.push(part);
    const failure = this.failureOf(line);
    await failure?.until;
    await delay(failure?.delayMs ?? this.latencyMs);
    await this.released;
    if (failure?.isLost) await this.answer(request, url, Buffer.concat(parts));
    if (failure?.isCut || failure?.isLost) return void request.socket.destroy();
    if (failure?.status !== undefined)
      return send(response, {
        status: failure.status,
        json: failure.json ?? { message: 'as asked for' },
        ...(failure.headers ? { headers: failure.headers } : {}),
      });
    try {
      const answer = await this.answer(request, url, Buffer.concat(parts));
      send(response, { ...answer, headers: { ...this.headers, ...answer.headers } });
    } catch (error) {
      send(response, { status: 599, json: { message: String(error) } });
    }
  }

  private failureOf(line: string): Partial<Failure> | undefined {
    const failure = this.failures.find(({ matches, left }) => left > 0 && matches.test(line));
    if (failure) failure.left -= 1;
    const way = failure ? undefined : this.disturb?.(line);
    return way === undefined ? failure : { [way]: true };
  }

  private async answer(request: IncomingMessage, url: URL, bytes: Buffer): Promise<StandInAnswer> {
    for (const { method, path, handle } of [...this.pages, ...this.routes]) {
      const match = method === request.method ? path.exec(url.pathname) : null;
      if (!match) continue;
      const text = bytes.toString();
      const isJson = text.startsWith('{') || text.startsWith('[');
      const answer = await handle(
        {
          method,
          url,
          headers: request.headers,
          bytes,
          json: isJson ? (JSON.parse(text) as Record<string, unknown>) : {},
          form: new URLSearchParams(isJson ? '' : text),
        },
        ...match.slice(1).map(decodeURIComponent),
      );
      return conditional(request, answer);
    }
    return { status: 404, json: { message: `no route ${request.method} ${url.pathname}` } };
  }
}

/** Whether a `Host` header names this machine and not only leads to it. */
function isLoopback(host = ''): boolean {
  return /^(?:127\.0\.0\.1|localhost|\[::1\])(?::\d+)?$/i.test(host);
}

/** 304 where the client has the answer already. */
function conditional(request: IncomingMessage, answer: StandInAnswer): StandInAnswer {
  if (request.method !== 'GET' || (answer.status ?? 200) !== 200) return answer;
  if (answer.html !== undefined || answer.text !== undefined) return answer;
  const body = answer.bytes ?? Buffer.from(JSON.stringify(answer.json ?? null));
  let hash = 0;
  for (const byte of body) hash = (hash * 31 + byte) % 2_147_483_647;
  const etag = `"${hash.toString(36)}-${body.length}"`;
  const headers = { ...answer.headers, ETag: etag };
  return request.headers['if-none-match'] === etag ? { status: 304, headers } : { ...answer, headers };
}

function send(response: ServerResponse, answer: StandInAnswer): void {
  const { status = 200, headers = {} } = answer;
  const [type, body] = contentOf(answer);
  const isEmpty = status === 204 || status === 304;
  response.writeHead(status, { 'Content-Type': type, ...headers });
  response.end(isEmpty ? undefined : body);
}

function contentOf({ json, bytes, html, text }: StandInAnswer): [type: string, body: string | Buffer] {
  if (html !== undefined) return ['text/html; charset=utf-8', html];
  if (text !== undefined) return ['text/plain; charset=utf-8', text];
  return bytes ? ['application/octet-stream', bytes] : ['application/json', JSON.stringify(json ?? {})];
}

/** One page of a list, with the headers of both providers. */
export function page(request: StandInRequest, items: readonly unknown[], key?: string): StandInAnswer {
  const size = Number(request.url.searchParams.get('per_page') ?? 30);
  const number = Number(request.url.searchParams.get('page') ?? 1);
  const pages = Math.max(1, Math.ceil(items.length / size));
  const shown = items.slice((number - 1) * size, number * size);
  const links = [
    ...(number < pages ? [['next', number + 1] as const, ['last', pages] as const] : []),
    ...(number > 1 ? [['prev', number - 1] as const] : []),
  ].map(([rel, target]) => {
    const url = new URL(request.url);
    url.searchParams.set('page', String(target));
    return `<${url.href}>; rel="${rel}"`;
  });
  return {
    json: key === undefined ? shown : { total_count: items.length, [key]: shown },
    headers: {
      ...(links.length > 0 ? { Link: links.join(', ') } : {}),
      'X-Next-Page': number < pages ? String(number + 1) : '',
      'X-Total-Pages': String(pages),
      'X-Total': String(items.length),
    },
  };
}

export function refuse(status: number, message: string, headers: Record<string, string> = {}): StandInAnswer {
  return { status, json: { message }, headers };
}
