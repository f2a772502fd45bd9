import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import type { NextFunction, Request, Response } from 'express';

interface RequestContext {
  requestId: string;
}

const storage = new AsyncLocalStorage<RequestContext>();
const ids = new WeakMap<IncomingMessage, string>();
const ACCEPTED = /^[\w.-]{1,64}$/;

/** First middleware: takes or makes the request id, answers it as `X-Request-Id`, and keeps it for logs and audit. */
export function requestContext(request: Request, response: Response, next: NextFunction): void {
  const requestId = requestIdOf(request);
  response.setHeader('X-Request-Id', requestId);
  storage.run({ requestId }, next);
}

export function requestIdOf(request: IncomingMessage): string {
  const known = ids.get(request);
  if (known) return known;
  const sent = request.headers['x-request-id'];
  const id = typeof sent === 'string' && ACCEPTED.test(sent) ? sent : randomUUID();
  ids.set(request, id);
  return id;
}

/** The id of the request being served, or undefined in a job. */
export function currentRequestId(): string | undefined {
  return storage.getStore()?.requestId;
}
