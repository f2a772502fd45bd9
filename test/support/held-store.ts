import { createServer, type Server, type ServerResponse } from 'node:http';
import { once } from 'node:events';

/** Where a request is kept waiting: the list of objects, the last object before its first byte, or in the middle of it. */
export type HeldAt = 'listing' | 'object' | 'half of an object';

/**
 * A loopback server of S3's protocol. Every bucket has the objects of `objects` and a text, listed in two pages. It goes on
 * when a test lets it.
 */
export class HeldStore {
  objects = new Map<string, string>([['a.csv', '']]);
  /** requests that wait */
  held = 0;
  private heldAt: HeldAt | undefined;
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
      const { pathname, searchParams } = new URL(request.url ?? '/', store.url);
      if (!searchParams.has('list-type')) return store.answerObject(pathname, response);
      if (searchParams.get('continuation-token') !== 'more') return answerXml(response, FIRST_PAGE);
      return store.answerLater('listing', () => answerXml(response, store.lastPage()));
    });
    return store;
  }

  get content(): string {
    return this.objects.get('a.csv') ?? '';
  }

  set content(text: string) {
    this.objects.set('a.csv', text);
  }

  hold(at: HeldAt = 'object'): void {
    this.heldAt = at;
    this.held = 0;
  }

  release(): void {
    this.heldAt = undefined;
    for (const send of this.waiting.splice(0)) send();
  }

  async stop(): Promise<void> {
    this.server.closeAllConnections();
    this.server.close();
    await once(this.server, 'close');
  }

  private answerObject(pathname: string, response: ServerResponse): void {
    const name = pathname.split('/').at(-1) ?? '';
    const bytes = Buffer.from(this.objects.get(name) ?? '');
    const head = { 'content-type': 'text/csv', 'content-length': bytes.length };
    const send = (): void => {
      response.writeHead(200, head).end(bytes);
    };
    if (name !== [...this.objects.keys()].sort().at(-1)) return send();
    if (this.heldAt !== 'half of an object') return this.answerLater('object', send);
    const half = bytes.length >> 1;
    response.writeHead(200, head);
    response.write(bytes.subarray(0, half), () =>
      this.answerLater('half of an object', () => response.end(bytes.subarray(half))),
    );
  }

  private answerLater(at: HeldAt, send: () => void): void {
    if (this.heldAt !== at) return send();
    this.waiting.push(send);
    this.held += 1;
  }

  private lastPage(): string {
    return listing([...this.objects.keys()].sort(), this.objects, '<IsTruncated>false</IsTruncated>');
  }
}

const FIRST_PAGE = listing(
  ['a.txt'],
  new Map([['a.txt', '.']]),
  '<IsTruncated>true</IsTruncated><NextContinuationToken>more</NextContinuationToken>',
);

function answerXml(response: ServerResponse, text: string): void {
  response.writeHead(200, { 'content-type': 'application/xml' }).end(text);
}

function listing(names: readonly string[], objects: ReadonlyMap<string, string>, end: string): string {
  const contents = names.map(
    (
      name,
    ) => `<Contents><Key>${name}</Key><LastModified>2026-01-01T00:00:00.000Z</LastModified><ETag>"x"</ETag>
      <Size>${Buffer.byteLength(objects.get(name) ?? '')}</Size></Contents>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?><ListBucketResult xmlns="http://s3.amazonaws.com/doc/2006-03-01/"><Name>bills</Name>
    <Prefix></Prefix><KeyCount>${names.length}</KeyCount><MaxKeys>1000</MaxKeys>${end}${contents.join('')}</ListBucketResult>`;
}
