import { EventEmitter, once } from 'node:events';
import { createServer, get, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { Readable } from 'node:stream';
import express from 'express';
import type { ServedDocument } from '../chunks/document-reading.service.js';
import { sendDocument } from './document-response.js';

describe('sending a document', () => {
  let server: Server;
  let document: ServedDocument;
  let sent: Promise<void> | undefined;
  const steps = new EventEmitter();

  beforeAll(async () => {
    const app = express();
    app.get('/', async (request, response) => {
      const gone = once(response, 'close');
      steps.emit('asked');
      await once(steps, 'go');
      sent = sendDocument(request, response, document);
      await sent.catch(() => gone);
      steps.emit('done');
    });
    server = createServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
  });
  afterAll(() => server.close());

  const of = (plain: () => Readable): ServedDocument => ({
    md5: '',
    etag: '"x"',
    size: 3,
    gzip: plain,
    plain,
  });

  async function ask(whenAsked: (outgoing: ReturnType<typeof get>) => void): Promise<void> {
    const [asked, done] = [once(steps, 'asked'), once(steps, 'done')];
    const outgoing = get({ port: (server.address() as AddressInfo).port, agent: false });
    outgoing.on('error', () => undefined);
    await asked;
    whenAsked(outgoing);
    steps.emit('go');
    await done;
  }

  it.each([
    ['before its first byte', 0],
    ['while it was sent', 3],
  ])('fails for no client that left %s', async (_, parts) => {
    let leave = (): void => undefined;
    document = of(() => Readable.from(endless(parts, () => leave())));
    await ask((outgoing) => {
      leave = () => void outgoing.destroy();
    });
    await expect(sent).resolves.toBeUndefined();
  });

  it('tells a failure of its own, whenever it comes', async () => {
    document = of(() => Readable.from(broken()));
    await ask(() => undefined);
    await expect(sent).rejects.toThrow('the database is gone');
  });
});

/** So many parts, and then one that takes for ever. */
async function* endless(parts: number, afterwards: () => void): AsyncGenerator<Buffer> {
  for (let n = 0; n < parts; n++) yield await Promise.resolve(Buffer.alloc(64 * 1024));
  afterwards();
  await new Promise(() => undefined);
}

async function* broken(): AsyncGenerator<Buffer> {
  yield await Promise.resolve(Buffer.from('a'));
  throw new Error('the database is gone');
}
