import type { ServerResponse } from 'node:http';

/** How Node says that the reader of an answer is gone: while it was sent, or before it began. */
const GONE: ReadonlySet<unknown> = new Set([
  'ERR_STREAM_PREMATURE_CLOSE',
  'ERR_STREAM_UNABLE_TO_PIPE',
  'ERR_STREAM_DESTROYED',
]);

/** The client went away before its request was read to the end. Nobody waits for an answer. */
export class ClientLeft extends Error {
  constructor() {
    super('the client closed the connection before the end of its request');
  }
}

/** Aborted when the client goes away before it has its answer: work for it can end. */
export function leavingOf(response: ServerResponse): AbortSignal {
  const leaving = new AbortController();
  if (response.destroyed) leaving.abort(new ClientLeft());
  response.once('close', () => {
    if (!response.writableFinished) leaving.abort(new ClientLeft());
  });
  return leaving.signal;
}

/** Whether sending an answer ended because the client went away, which is no failure of ours. */
export function clientLeft(error: unknown): boolean {
  return typeof error === 'object' && error !== null && 'code' in error && GONE.has(error.code);
}
