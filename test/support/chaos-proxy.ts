import { connect, createServer, Server, Socket } from 'node:net';
import { once } from 'node:events';

/**
 * What happens to one connection: `pass` lets it be, `cut-request` ends it after so many bytes towards the server (the
 * server never sees the whole request), `cut-answer` delivers the request and ends it when the answer comes.
 */
export type Fate =
  | { kind: 'pass' }
  | { kind: 'cut-request'; after: number }
  | { kind: 'cut-answer'; after: number };

/** A proxy on loopback that fails as told, once for each new connection. */
export class ChaosProxy {
  private readonly sockets = new Set<Socket>();
  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  /** @param fate decides about the connection with this number, counted from 0 */
  static async start(target: string, fate: (connection: number) => Fate): Promise<ChaosProxy> {
    const { hostname, port } = new URL(target);
    let count = 0;
    const server = createServer((client) =>
      proxy.join(client, connect(Number(port), hostname), fate(count++)),
    );
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    const proxy = new ChaosProxy(
      server,
      `http://127.0.0.1:${typeof address === 'object' && address ? address.port : 0}`,
    );
    return proxy;
  }

  async stop(): Promise<void> {
    for (const socket of this.sockets) socket.destroy();
    this.server.close();
    await once(this.server, 'close');
  }

  private join(client: Socket, server: Socket, fate: Fate): void {
    const end = (): void => {
      client.resetAndDestroy();
      server.destroy();
    };
    for (const socket of [client, server]) {
      this.sockets.add(socket);
      socket.on('error', end);
      socket.on('close', () => {
        this.sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    forward(client, server, fate.kind === 'cut-request' ? fate.after : Infinity, end);
    forward(server, client, fate.kind === 'cut-answer' ? fate.after : Infinity, end);
  }
}

/** Passes on at most `limit` bytes, then ends both sides. */
function forward(from: Socket, to: Socket, limit: number, end: () => void): void {
  let left = limit;
  from.on('data', (bytes: Buffer) => {
    const part = bytes.subarray(0, Math.min(left, bytes.length));
    left -= part.length;
    if (part.length > 0) to.write(part);
    if (left <= 0) setImmediate(end);
  });
}
