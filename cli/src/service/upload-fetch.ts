import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';

/**
 * fetch for bodies of any size: Node's own keeps a copy of every stream it sends, in case of a redirect. An answer that
 * comes before the body has left ends the upload.
 */
export const uploadFetch: typeof fetch = async (input, init) => {
  const request = new Request(input, init);
  const url = new URL(request.url);
  const send = url.protocol === 'https:' ? httpsRequest : httpRequest;
  const headers = Object.fromEntries(request.headers);
  const outgoing = send(url, { method: request.method, headers, agent: false });
  const answered = new Promise<IncomingMessage>((resolve, reject) => {
    outgoing.once('response', resolve);
    outgoing.on('error', reject);
  });
  // Whatever stops the upload ends the request too, unless the service has answered already.
  if (request.body) pipeline(Readable.fromWeb(request.body), outgoing).catch(() => undefined);
  else outgoing.end();
  const incoming = await answered;
  // A refusal that came early is all there is to read; the rest of the body need not leave.
  incoming.once('end', () => outgoing.destroy());
  return new Response(Readable.toWeb(incoming), {
    status: incoming.statusCode ?? 0,
    headers: Object.entries(incoming.headers).map(([name, value]): [string, string] => [name, String(value)]),
  });
};
