import { createServer, type Server } from 'node:http';
import { once } from 'node:events';

/** A loopback server of S3's protocol with one object in every bucket, which it sends when a test lets it. */
export class HeldStore {
  content = '';
  requested = 0;
  private isHeld = false;
  private waiting: (() => void)[] = [];

  private constructor(
    private readonly server: Server,
    readonly url: string,
  ) {}

  static async start(): Promise<HeldStore> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const address = server.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    const store = new HeldStore(server, `http://127.0.0.1:${address.port}`);
    server.on('request', (request, response) => {
      if (new URL(request.url ?? '/', store.url).searchParams.has('list-type')) {
        response.writeHead(200, { 'content-type': 'application/xml' }).end(store.listing());
        return;
      }
      store.requested += 1;
      const send = (): void => {
        response.writeHead(200, { 'content-type': 'text/csv' }).end(store.content);
      };
      if (store.isHeld) store.waiting.push(send);
      else send();
    });
    return store;
  }

  hold(): void {
    this.isHeld = true;
    this.requested = 0;
  }

  release(): void {
    this.isHeld = false;
    for (const send of this.waiting.splice(0)) send();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private listing(): string {
    return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bills</Name>
      <Prefix></Prefix><KeyCount>1</KeyCount><MaxKeys>1000</MaxKeys><IsTruncated>false</IsTruncated><Contents><Key>a.csv</Key>
      <LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"x"</ETag><Size>${Buffer.byteLength(this.content)}</Size></Contents></ListBucketResult>`;
  }
}
