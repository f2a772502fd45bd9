import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';

/** Stands between the service and its database. Shut, it ends every connection and refuses new ones. */
export class DatabaseGate {
  private server: Server | undefined;
  private readonly sockets = new Set<Socket>();

  private constructor(
    private readonly target: { host: string; port: number },
    readonly port: number,
  ) {}

  static async open(target: { host: string; port: number }, port: number): Promise<DatabaseGate> {
    const gate = new DatabaseGate(target, port);
    await gate.open();
    return gate;
  }

  async open(): Promise<void> {
    if (this.server) return;
    this.server = createServer((client) => this.join(client, connect(this.target)));
    this.server.listen(this.port, '127.0.0.1');
    await once(this.server, 'listening');
  }

  async shut(): Promise<void> {
    const { server } = this;
    if (!server) return;
    this.server = undefined;
    server.close();
    for (const socket of this.sockets) socket.resetAndDestroy();
    await once(server, 'close');
  }

  private join(client: Socket, server: Socket): void {
    for (const [from, to] of [
      [client, server],
      [server, client],
    ] as const) {
      this.sockets.add(from);
      from.on('error', () => to.destroy());
      from.on('close', () => {
        this.sockets.delete(from);
        to.destroy();
      });
      from.pipe(to);
    }
  }
}
