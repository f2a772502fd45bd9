import { createServer, IncomingMessage, RequestListener, Server, ServerResponse } from 'node:http';
import { Server as TcpServer } from 'node:net';
import { Logger } from '@nestjs/common';
import { dropRemainder, requestIdOf } from '../platform/http/index.js';
import { ConnectionGuard, type ConnectionLimits, DEFAULT_LIMITS } from './connection-guard.js';
import { StartError } from './lifecycle.js';

/** A client that stalls in the middle of its request is cut off after this long when the process stops. */
const DRAIN_LIMIT_MS = 120_000;
/** An SQL query of 16 kB, percent-encoded, is part of the address. */
const LARGEST_HEAD = 64 * 1024;
const READY_PROBES = new Set(['/health/ready', '/api/v1/health']);

/** A page for a browser that comes before requests can be served; undefined for every other client. */
type WaitingPageFor = (request: {
  method: string;
  path: string;
  accept: string | undefined;
}) => { headers: Record<string, string>; body: string } | undefined;

type FrontDoorOptions = Partial<ConnectionLimits> & { waitingPage?: WaitingPageFor };

export interface Interior {
  listener: RequestListener;
  /** whether requests can be served at this moment */
  ready: () => Promise<boolean>;
}

/**
 * The listener of a process. It is up before anything behind it is: alive at once, not ready until `open`, and from
 * `drain` on it turns new requests away while those in flight finish (interface.md 4.15). The probes are answered here in
 * every phase, so that nothing behind the door can get in their way.
 */
export class FrontDoor {
  private readonly logger = new Logger('FrontDoor');
  private readonly server: Server;
  private interior: Interior | undefined;
  private draining = false;
  private inFlight = 0;
  private settled: (() => void) | undefined;
  private readonly guard: ConnectionGuard;

  private readonly waitingPage: WaitingPageFor;

  constructor({ waitingPage = () => undefined, ...limits }: FrontDoorOptions = {}) {
    this.waitingPage = waitingPage;
    const all = { ...DEFAULT_LIMITS, ...limits };
    this.server = createServer(
      { maxHeaderSize: LARGEST_HEAD, connectionsCheckingInterval: Math.ceil(all.headMs / 4) },
      (request, response) => this.receive(request, response),
    );
    this.guard = new ConnectionGuard(this.server, all);
  }

  /** Resolves with the port; `variable` is named when the port cannot be had. */
  listen(port: number, variable: string, host?: string): Promise<number> {
    return new Promise((resolve, reject) => {
      this.server.once('error', (error: NodeJS.ErrnoException) =>
        reject(portError(error, port, variable, host)),
      );
      this.server.listen({ port, ...(host === undefined ? {} : { host }) }, () => {
        const address = this.server.address();
        resolve(typeof address === 'object' && address ? address.port : port);
      });
    });
  }

  open(interior: Interior): void {
    this.interior = interior;
  }

  async drain(): Promise<void> {
    this.draining = true;
    // Only the listening socket: http's own close() would also reset kept-alive connections that are about to ask.
    TcpServer.prototype.close.call(this.server);
    if (this.inFlight > 0) {
      await new Promise<void>((resolve) => {
        this.settled = resolve;
        setTimeout(resolve, DRAIN_LIMIT_MS).unref();
      });
    }
    this.server.closeAllConnections();
    this.guard.stop();
  }

  private receive(request: IncomingMessage, response: ServerResponse): void {
    const path = pathOf(request);
    if (path === '/health/live') return answer(request, response, { status: 200, body: { status: 'live' } });
    if (this.draining)
      return this.refuse(request, response, 'the service is stopping', { Connection: 'close' });
    if (READY_PROBES.has(path)) return void this.answerReady(request, response);
    if (!this.interior) return this.answerEarly(request, response);
    this.inFlight += 1;
    dropRemainder(request, response);
    this.guard.watch(response);
    response.once('close', () => {
      this.inFlight -= 1;
      // The connection is closed a turn later, when the last bytes are on their way.
      if (this.inFlight === 0) setImmediate(() => this.settled?.());
    });
    this.interior.listener(request, response);
  }

  private answerEarly(request: IncomingMessage, response: ServerResponse): void {
    const page = this.waitingPage({
      method: request.method ?? '',
      path: pathOf(request),
      accept: request.headers.accept,
    });
    if (!page) return this.refuse(request, response, 'the service is starting');
    response.writeHead(503, { ...page.headers, 'X-Request-Id': requestIdOf(request) });
    response.end(request.method === 'HEAD' ? undefined : page.body);
  }

  private refuse(
    request: IncomingMessage,
    response: ServerResponse,
    reason: string,
    headers: Record<string, string> = {},
  ): void {
    this.logger.warn({ msg: 'request refused', requestId: requestIdOf(request), status: 503, reason });
    answer(request, response, {
      status: 503,
      body: { id: 'UNAVAILABLE', data: reason },
      headers: { 'Retry-After': '1', ...headers },
    });
  }

  private async answerReady(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (!this.interior)
      return answer(request, response, {
        status: 502,
        body: { id: 'NOT_READY', data: 'the service is starting' },
      });
    if (await this.interior.ready())
      return answer(request, response, { status: 200, body: { status: 'ready' } });
    answer(request, response, {
      status: 502,
      body: { id: 'NOT_READY', data: 'the database does not answer' },
    });
  }
}

function pathOf(request: IncomingMessage): string {
  const path = request.url?.split('?', 1)[0] ?? '';
  return path.endsWith('/') ? path.slice(0, -1) : path;
}

function answer(
  request: IncomingMessage,
  response: ServerResponse,
  {
    status,
    body,
    headers = {},
  }: { status: number; body: Record<string, string>; headers?: Record<string, string> },
): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Cache-Control': 'no-store',
    'X-Request-Id': requestIdOf(request),
    ...headers,
  });
  response.end(JSON.stringify(body));
}

/** A refusal to start that names the variable whose port cannot be had. */
export function portError(
  error: NodeJS.ErrnoException,
  port: number,
  variable: string,
  host: string | undefined,
): Error {
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND')
    return new StartError(`SERVICE_HOST is ${host}, which is not an address of this machine`);
  if (error.code === 'EADDRINUSE')
    return new StartError(`port ${port} is taken; set ${variable} to another one`);
  if (error.code === 'EACCES')
    return new StartError(`port ${port} needs privileges; set ${variable} to one above 1023`);
  return error;
}
