import { once } from 'node:events';
import { createServer, request, type Server } from 'node:http';

/** What a load balancer does that serves several things below one name: it takes a path off. */
export async function pathTakingProxy(port: number, path: string, target: string): Promise<Server> {
  const proxy = createServer((incoming, outgoing) => {
    const below = (incoming.url ?? '/').startsWith(path)
      ? (incoming.url ?? '').slice(path.length) || '/'
      : undefined;
    if (below === undefined) {
      outgoing.writeHead(418).end();
      return;
    }
    const onward = request(
      `${target}${below}`,
      { method: incoming.method, headers: incoming.headers },
      (answer) => {
        outgoing.writeHead(answer.statusCode ?? 502, answer.headers);
        answer.pipe(outgoing);
      },
    );
    incoming.pipe(onward);
  });
  proxy.listen(port, '127.0.0.1');
  await once(proxy, 'listening');
  return proxy;
}
