import type { IncomingMessage, ServerResponse } from 'node:http';
import { MAX_DROPPED_BYTES } from './read-body.js';

const DROP_LIMIT_MS = 10_000;
const CHECK_INTERVAL_MS = 100;

/**
 * Reads on and drops what was not read of a body when the request is answered: the next request on the connection comes
 * behind it. A connection whose body does not end within the bounds is closed.
 */
export function dropRemainder(request: IncomingMessage, response: ServerResponse): void {
  response.once('finish', () => {
    if (request.complete) return;
    const { socket } = request;
    const most = socket.bytesRead + MAX_DROPPED_BYTES;
    const latest = performance.now() + DROP_LIMIT_MS;
    request.on('error', () => undefined);
    setImmediate(() => request.resume());
    const check = setInterval(() => {
      if (request.complete || socket.destroyed) return clearInterval(check);
      if (socket.bytesRead <= most && performance.now() <= latest) return;
      clearInterval(check);
      socket.destroy();
    }, CHECK_INTERVAL_MS);
    check.unref();
  });
}

/** Bytes and time that an error waits for when its connection is closed behind it. */
const LINGER_BYTES = 1024 * 1024;
const LINGER_MS = 2000;

/**
 * A connection that is closed while bytes of the request are unread is reset, and the client may lose the answer. Where the
 * answer is the last one, as much of the body as is reasonable is read before it.
 */
export async function beforeClosing(request: IncomingMessage, response: ServerResponse): Promise<void> {
  if (response.shouldKeepAlive || request.complete || request.destroyed) return;
  await new Promise<void>((resolve) => {
    const timer = setTimeout(resolve, LINGER_MS);
    const end = () => {
      clearTimeout(timer);
      resolve();
    };
    let dropped = 0;
    request.on('data', (part: Buffer) => {
      dropped += part.length;
      if (dropped > LINGER_BYTES) end();
    });
    request.once('end', end).once('close', end).resume();
  });
}
