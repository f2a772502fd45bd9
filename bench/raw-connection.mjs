// One keep-alive connection that sends a request at a time and reads answers with Content-Length: the load generator
// shares two cores with what it measures, and node:http costs as much as a small request itself.
import { connect } from 'node:net';
import { once } from 'node:events';

const END_OF_HEAD = Buffer.from('\r\n\r\n');

export class RawConnection {
  static async open(base) {
    const { hostname, port } = new URL(base);
    const socket = connect(Number(port), hostname);
    socket.setNoDelay(true);
    await once(socket, 'connect');
    return new RawConnection(socket);
  }

  constructor(socket) {
    this.socket = socket;
    this.parts = [];
    this.size = 0;
    this.wake = undefined;
    socket.on('data', (part) => {
      this.parts.push(part);
      this.size += part.length;
      if (this.needed === undefined || this.size >= this.needed) this.wake?.();
    });
    socket.on('close', () => this.wake?.());
    socket.on('error', () => undefined);
  }

  /** Status and text of the answer. */
  async ask(method, { path, token }, body) {
    const bytes = body === undefined ? undefined : Buffer.from(body);
    const head =
      `${method} ${path} HTTP/1.1\r\nHost: bench\r\nAuthorization: Bearer ${token}\r\n` +
      (bytes ? `Content-Type: application/json\r\nContent-Length: ${bytes.length}\r\n\r\n` : '\r\n');
    this.socket.write(bytes ? Buffer.concat([Buffer.from(head), bytes]) : head);
    this.needed = undefined;
    for (;;) {
      await new Promise((done) => (this.wake = done));
      const received = this.parts.length === 1 ? this.parts[0] : Buffer.concat(this.parts);
      this.parts = [received];
      const end = received.indexOf(END_OF_HEAD);
      if (end < 0) {
        if (this.socket.destroyed) throw new Error('the connection was closed');
        continue;
      }
      const answered = received.subarray(0, end).toString('latin1');
      const length = Number(/^content-length: (\d+)/im.exec(answered)?.[1]);
      if (Number.isNaN(length)) throw new Error(`an answer without Content-Length: ${answered}`);
      this.needed = end + END_OF_HEAD.length + length;
      if (received.length < this.needed) continue;
      this.parts = [];
      this.size = 0;
      return {
        status: Number(answered.slice(9, 12)),
        text: received.subarray(end + END_OF_HEAD.length, this.needed).toString(),
      };
    }
  }

  close() {
    this.socket.destroy();
  }
}
