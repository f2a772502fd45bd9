import { randomUUID } from 'node:crypto';
import { addressOf, aBackend, BackendClient, type TestBackend } from '../support/backend.js';
import { headOf, RawClient } from '../support/raw-client.js';

const CLIENTS = 40;
/** What the service may keep for a client that does not read: a few chunks, much less than the document. */
const KEPT_PER_CLIENT = 1.5 * 1024 * 1024;
const DOCUMENT_BYTES = 6 * 1024 * 1024;

/** Clients that ask for large documents and do not read the answers. */
describe('Clients that do not read', () => {
  let backend: TestBackend;
  let stateId: string;
  let groupId: string;
  const clients: RawClient[] = [];

  beforeAll(async () => {
    backend = await aBackend();
    const { id, address, ...state } = await backend.aState();
    [stateId, groupId] = [id, state.groupId];
    const writer = new BackendClient(address, backend.key);
    expect((await writer.post(aDocument())).status).toBe(200);
    writer.close();
  });
  afterAll(async () => {
    for (const client of clients) client.end();
    await backend.stop();
  });

  async function residentBytes(): Promise<number> {
    const metrics = await (await fetch(`${backend.service.internalUrl}/metrics`)).text();
    return Number(/^process_resident_memory_bytes(?:\{.*?\})? (\S+)$/m.exec(metrics)?.[1]);
  }

  it('cost less than their documents, and others are served meanwhile', async () => {
    const before = await residentBytes();
    const head = headOf('GET', `/api/v1/states/${stateId}/export`, {
      Authorization: `Bearer ${backend.key}`,
    });
    for (let index = 0; index < CLIENTS; index++) {
      const client = await RawClient.open(backend.url);
      clients.push(client);
      client.pause();
      client.send(head);
    }
    for (let turn = 0; turn < 10; turn++) {
      expect((await backend.api('GET', `/states/${stateId}/instances?limit=10`)).status).toBe(200);
      const writer = new BackendClient(addressOf(backend.url, groupId, `w${turn}`), backend.key);
      expect((await writer.post(aDocument(1024))).status).toBe(200);
      writer.close();
    }
    const grown = (await residentBytes()) - before;
    expect(clients.filter((client) => client.isClosed)).toEqual([]);
    expect(grown).toBeLessThan(CLIENTS * KEPT_PER_CLIENT + DOCUMENT_BYTES);
  });

  /** Text that does not compress well, so that what is kept is what is sent. */
  function aDocument(bytes = DOCUMENT_BYTES): string {
    const instances = Array.from({ length: Math.ceil(bytes / 2048) }, (_, index_key) => ({
      index_key,
      schema_version: 0,
      attributes: { id: `i-${index_key}`, text: Array.from({ length: 54 }, () => randomUUID()).join('') },
    }));
    const resources = [
      {
        mode: 'managed',
        type: 'acme_thing',
        name: 'many',
        provider: 'provider["registry.terraform.io/acme/acme"]',
        instances,
      },
    ];
    return `${JSON.stringify({ version: 4, terraform_version: '1.11.0', serial: 1, lineage: randomUUID(), outputs: {}, resources, check_results: null }, null, 2)}\n`;
  }
});
