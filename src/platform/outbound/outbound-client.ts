import { setTimeout as delay } from 'node:timers/promises';
import { readBounded } from './bounded-body.js';
import { EtagCache } from './etag-cache.js';
import { RequestQueue } from './request-queue.js';
import { isRateLimited, isTransient, pauseBefore } from './retry-after.rules.js';

export interface OutboundRequest {
  method?: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** absolute address */
  url: string;
  /** the address without its values, for metrics: `GET /repos/{repo}/pulls/{n}` */
  route: string;
  /** whose credential it is; requests of one owner wait for each other */
  owner: string;
  headers?: Readonly<Record<string, string>>;
  /** sent as JSON */
  json?: unknown;
  /** sent as `application/x-www-form-urlencoded` */
  form?: Readonly<Record<string, string>>;
  /** sending it twice does no harm; by default true for GET only */
  isRepeatable?: boolean;
  /** ends the waiting between tries; without one a request waits `IMPATIENT_WAIT_MS` in all */
  signal?: AbortSignal | undefined;
  maxBytes?: number;
}

export interface OutboundAnswer {
  status: number;
  headers: Headers;
  body: Buffer;
}

/** The other side did not answer, or not in time, or too much. `retryAfterMs`: when to ask again. */
export class OutboundFailure extends Error {
  constructor(
    message: string,
    readonly retryAfterMs: number,
  ) {
    super(message);
  }
}

export interface OutboundOptions {
  /** told of every answer; status 0: none came */
  observe?: (request: OutboundRequest, answer: { status: number; headers?: Headers }) => void;
  now: () => Date;
  headerTimeoutMs?: number;
  bodyTimeoutMs?: number;
}

const HEADER_TIMEOUT_MS = 10_000;
const BODY_TIMEOUT_MS = 60_000;
const MAX_BYTES = 64 * 1024 * 1024;
const MAX_CACHED_BYTES = 32 * 1024 * 1024;
const REQUESTS_PER_OWNER = 10;
const MAX_TRIES = 8;
const MAX_REDIRECTS = 3;
/** Somebody waits for the answer of such a request. */
export const IMPATIENT_WAIT_MS = 4_000;

/**
 * Requests to other services: bounded in time and size, a few at a time for each owner, tried again as the other side
 * asks for. Reads are conditional where an answer had an `ETag`. Redirects stay on the host that was asked.
 */
export class OutboundClient {
  private readonly queue = new RequestQueue(REQUESTS_PER_OWNER);
  private readonly cache = new EtagCache(MAX_CACHED_BYTES);

  constructor(private readonly options: OutboundOptions) {}

  /** Whatever status comes back in the end. Throws `OutboundFailure` when none does. */
  async send(request: OutboundRequest): Promise<OutboundAnswer> {
    let waitedMs = 0;
    for (let attempt = 1; ; attempt += 1) {
      const answer = await this.queue
        .run(request.owner, () => this.ask(request))
        .catch((error: unknown) => asFailure(error));
      if (!(answer instanceof Error) && isFinal(request, answer)) return answer;
      const head = answer instanceof Error ? undefined : answer;
      const pauseMs = pauseBefore(head, { attempt, now: this.options.now(), random: Math.random() });
      waitedMs += pauseMs;
      const mayRepeat = head !== undefined || isRepeatable(request);
      if (!mayRepeat || !mayWait(request, waitedMs) || attempt >= MAX_TRIES) {
        if (answer instanceof Error) throw answer;
        throw new OutboundFailure(`answered ${answer.status}`, pauseMs);
      }
      await wait(pauseMs, request.signal);
    }
  }

  private async ask(request: OutboundRequest): Promise<OutboundAnswer> {
    const key = `${request.owner} ${request.url}`;
    const isRead = (request.method ?? 'GET') === 'GET';
    const cached = isRead ? this.cache.find(key) : undefined;
    const answer = await this.exchange(request, cached?.etag);
    if (answer.status === 304 && cached) return { status: 200, headers: cached.headers, body: cached.body };
    const etag = answer.headers.get('etag');
    if (isRead && answer.status === 200 && etag !== null)
      this.cache.store(key, { etag, body: answer.body, headers: answer.headers });
    return answer;
  }

  private async exchange(request: OutboundRequest, etag: string | undefined): Promise<OutboundAnswer> {
    const stop = new AbortController();
    const abort = (): void => stop.abort();
    request.signal?.addEventListener('abort', abort, { once: true });
    let timer = setTimeout(abort, this.options.headerTimeoutMs ?? HEADER_TIMEOUT_MS);
    try {
      const response = await this.follow(request, etag, stop.signal);
      clearTimeout(timer);
      timer = setTimeout(abort, this.options.bodyTimeoutMs ?? BODY_TIMEOUT_MS);
      const body = await readBounded(response, request.maxBytes ?? MAX_BYTES);
      this.options.observe?.(request, { status: response.status, headers: response.headers });
      return { status: response.status, headers: response.headers, body };
    } catch (error) {
      this.options.observe?.(request, { status: 0 });
      throw error;
    } finally {
      clearTimeout(timer);
      request.signal?.removeEventListener('abort', abort);
    }
  }

  private async follow(
    request: OutboundRequest,
    etag: string | undefined,
    signal: AbortSignal,
  ): Promise<Response> {
    let url = request.url;
    for (let redirects = 0; ; redirects += 1) {
      const response = await fetch(url, {
        method: request.method ?? 'GET',
        redirect: 'manual',
        signal,
        headers: {
          'User-Agent': 'infrastructure-state-service',
          ...request.headers,
          ...(etag === undefined ? {} : { 'If-None-Match': etag }),
          ...(request.json === undefined ? {} : { 'Content-Type': 'application/json' }),
        },
        ...bodyOf(request),
      });
      const location = response.headers.get('location');
      const isRedirect = [301, 302, 307, 308].includes(response.status) && location !== null;
      if (!isRedirect || (request.method ?? 'GET') !== 'GET' || redirects >= MAX_REDIRECTS) return response;
      const target = new URL(location, url);
      // The credential is meant for this host only.
      if (target.origin !== new URL(url).origin) return response;
      await response.body?.cancel();
      url = target.href;
    }
  }
}

function isRepeatable({ isRepeatable: told, method = 'GET' }: OutboundRequest): boolean {
  return told ?? method === 'GET';
}

/** Whether the request is not sent again after this answer, whatever time is left. */
function isFinal(request: OutboundRequest, answer: OutboundAnswer): boolean {
  return !isTransient(answer) || (!isRepeatable(request) && !isRateLimited(answer));
}

/** Whether a request may wait that long in all. */
function mayWait({ signal }: OutboundRequest, totalMs: number): boolean {
  return signal ? !signal.aborted : totalMs <= IMPATIENT_WAIT_MS;
}

async function wait(pauseMs: number, signal: AbortSignal | undefined): Promise<void> {
  await delay(pauseMs, undefined, signal ? { signal } : {}).catch(() => {
    throw new OutboundFailure('the time limit ended the wait', pauseMs);
  });
}

function bodyOf({ json, form }: OutboundRequest): { body?: string | URLSearchParams } {
  if (json !== undefined) return { body: JSON.stringify(json) };
  return form === undefined ? {} : { body: new URLSearchParams(form) };
}

function asFailure(error: unknown): OutboundFailure {
  const reason = error instanceof Error ? error.name : 'failure';
  return new OutboundFailure(`no answer (${reason})`, 5_000);
}
