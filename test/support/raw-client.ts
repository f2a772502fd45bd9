import { once } from 'node:events';
import { connect, type Socket } from 'node:net';

/** A connection on which a test writes the bytes of requests itself. */
export class RawClient {
  private received = '';
  private closed = false;
  private wake: (() => void) | undefined;

  private constructor(private readonly socket: Socket) {
    socket.setEncoding('latin1');
    socket.on('data', (part: string) => {
      this.received += part;
      this.wake?.();
    });
    socket.on('error', () => undefined);
    socket.on('close', () => {
      this.closed = true;
      this.wake?.();
    });
  }

  static async open(url: string): Promise<RawClient> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await once(socket, 'connect');
    return new RawClient(socket);
  }

  get isClosed(): boolean {
    return this.closed;
  }

  get text(): string {
    return this.received;
  }

  send(bytes: string | Buffer): void {
    this.socket.write(bytes);
  }

  /** Writes as fast as the other side takes it, until all is written or the connection is closed. */
  async sendAll(bytes: Buffer): Promise<void> {
    if (!this.socket.write(bytes))
      await Promise.race([once(this.socket, 'drain'), once(this.socket, 'close')]);
  }

  pause(): void {
    this.socket.pause();
  }

  end(): void {
    this.socket.destroy();
  }

  /** The status lines received once there are `count` of them, or the connection is closed. */
  async statuses(count: number): Promise<number[]> {
    await this.until(() => this.found().length >= count);
    return this.found();
  }

  async untilClosed(): Promise<void> {
    await this.until(() => false);
  }

  private async until(isDone: () => boolean): Promise<void> {
    while (!isDone() && !this.closed) await new Promise<void>((resolve) => (this.wake = resolve));
  }

  private found(): number[] {
    return [...this.received.matchAll(/HTTP\/1\.1 (\d{3}) /g)].map(([, status]) => Number(status));
  }
}

export function headOf(method: string, path: string, headers: Record<string, string | number> = {}): string {
  const lines = Object.entries({ Host: 'localhost', ...headers }).map(
    ([name, value]) => `${name}: ${value}\r\n`,
  );
  return `${method} ${path} HTTP/1.1\r\n${lines.join('')}\r\n`;
}
