import { once } from 'node:events';
import { createServer, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';
import { DatabaseTooOld, migrate } from './migrations.js';

const TEXT = 25;
const INT4 = 23;

/** A server that speaks as much of PostgreSQL's protocol as it takes to be asked for its version. */
class OldServer {
  readonly asked: string[] = [];
  private readonly server: Server;

  constructor(private readonly version: { number: string; name: string }) {
    this.server = createServer((socket) => this.serve(socket));
  }

  async listen(): Promise<number> {
    this.server.listen(0, '127.0.0.1');
    await once(this.server, 'listening');
    return (this.server.address() as AddressInfo).port;
  }

  close(): void {
    this.server.close();
  }

  private serve(socket: Socket): void {
    let isStarted = false;
    socket.on('error', () => undefined);
    socket.on('data', (data) => {
      if (!isStarted) {
        isStarted = true;
        socket.write(Buffer.concat([message('R', Buffer.from([0, 0, 0, 0])), READY]));
      } else if (data.toString('latin1', 0, 1) === 'Q') {
        this.asked.push(data.toString('utf8', 5, data.length - 1));
        socket.write(Buffer.concat([this.row(), message('C', text('SELECT 1')), READY]));
      } else socket.end();
    });
  }

  private row(): Buffer {
    const column = (name: string, type: number): Buffer => {
      const rest = Buffer.alloc(18);
      rest.writeInt32BE(type, 6);
      rest.writeInt16BE(-1, 10);
      return Buffer.concat([text(name), rest]);
    };
    const value = (of: string): Buffer => {
      const length = Buffer.alloc(4);
      length.writeInt32BE(of.length);
      return Buffer.concat([length, Buffer.from(of)]);
    };
    const two = Buffer.from([0, 2]);
    return Buffer.concat([
      message('T', Buffer.concat([two, column('number', INT4), column('name', TEXT)])),
      message('D', Buffer.concat([two, value(this.version.number), value(this.version.name)])),
    ]);
  }
}

const text = (of: string): Buffer => Buffer.from(`${of}\0`);
function message(kind: string, body: Buffer): Buffer {
  const length = Buffer.alloc(4);
  length.writeInt32BE(body.length + 4);
  return Buffer.concat([Buffer.from(kind), length, body]);
}
const READY = message('Z', Buffer.from('I'));

describe('Migrating', () => {
  it('asks an old server for its version only, and says in one line which is needed', async () => {
    const server = new OldServer({ number: '130014', name: '13.14' });
    const port = await server.listen();
    try {
      const migration = migrate({ host: '127.0.0.1', port, user: 'a', database: 'a', ssl: false });
      await expect(migration).rejects.toThrow(
        new DatabaseTooOld('PostgreSQL must be version 14 or newer, and the server is 13.14'),
      );
      expect(server.asked).toEqual([expect.stringContaining('server_version_num')]);
    } finally {
      server.close();
    }
  });
});
