import { createServer, type Server } from 'node:http';
import { once } from 'node:events';

/** A loopback server of S3's protocol with two objects in every bucket, listed in two pages. It sends them when a test lets it. */
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
      const query = new URL(request.url ?? '/', store.url).searchParams;
      if (query.has('list-type')) {
        const page = query.get('continuation-token') === 'more' ? store.lastPage() : FIRST_PAGE;
        response.writeHead(200, { 'content-type': 'application/xml' }).end(page);
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

  private lastPage(): string {
    return listing('a.csv', Buffer.byteLength(this.content), '<IsTruncated>false</IsTruncated>');
  }
}

const FIRST_PAGE = listing(
  'a.txt',
  1,
  '<IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken>',
);

function listing(key: string, size: number, end: string): string {
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bills</Name>
    <Prefix></Prefix><KeyCount>1</KeyCount><MaxKeys>1</MaxKeys>${end}<Contents><Key>${key}</Key>
    <LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"x"</ETag><Size>${size}</Size></Contents></ListBucketResult>`;
}
