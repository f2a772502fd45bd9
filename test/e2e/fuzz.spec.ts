import { rounds, SEED } from '../support/endurance.js';
import * as fc from 'fast-check';
import { aBackend, addressOf, BackendClient, md5, send, TestBackend, unzipped } from '../support/backend.js';
import {
  addressOf as resourceAddressOf,
  aLargeDocument,
  countsOf,
  documents,
  GeneratedDocument,
  GeneratedInstance,
  Layout,
  LAYOUTS,
  printDocument,
  treeOf,
} from '../support/document-generator.js';

/** FUZZ_RUNS documents (each written twice) from FUZZ_SEED, which is printed. */
const RUNS = Number(process.env['FUZZ_RUNS'] ?? rounds(20, 200));
const PARAMETERS = { seed: SEED, endOnFailure: process.env['FUZZ_SHRINK'] === undefined };

interface InstanceView {
  address: string;
  resource_address: string;
  deposed?: string;
}

describe('Generated documents', () => {
  let backend: TestBackend;
  let group: string;
  let count = 0;

  beforeAll(async () => {
    process.stdout.write(`generated documents: FUZZ_SEED=${SEED}\n`);
    backend = await aBackend();
    group = (await backend.aState()).groupId;
  });
  afterAll(() => backend.stop());

  /** The bytes come back plain and compressed, with the right checksum and tag, over every address. */
  async function expectServed(address: string, id: string, bytes: Buffer): Promise<void> {
    const plain = await send(address, { key: backend.key });
    expect([
      plain.status,
      plain.bytes.equals(bytes),
      plain.headers['content-md5'],
      plain.headers.etag !== undefined,
    ]).toEqual([200, true, md5(bytes), true]);
    const zipped = await send(address, { key: backend.key, headers: { 'accept-encoding': 'gzip' } });
    expect([unzipped(zipped).equals(bytes), zipped.headers['content-md5'], zipped.headers.etag]).toEqual([
      true,
      md5(bytes),
      plain.headers.etag,
    ]);
    expect((await backend.api('GET', `/states/${id}/export`)).bytes.equals(bytes)).toBe(true);
  }

  async function expectGraph(id: string, document: GeneratedDocument): Promise<void> {
    const view = (await backend.api('GET', `/states/${id}`)).json() as { graph_error?: string };
    expect(view.graph_error).toBeUndefined();
    expect((await backend.api('GET', `/states/${id}/summary`)).json()).toMatchObject(countsOf(document));
    const { results } = (await backend.api('GET', `/states/${id}/instances?limit=1000`)).json() as {
      results: InstanceView[];
    };
    const expected = document.resources.flatMap((resource) =>
      resource.instances.map(({ deposed }) => `${resourceAddressOf(resource)} ${deposed ?? ''}`),
    );
    expect(results.map((row) => `${row.resource_address} ${row.deposed ?? ''}`).sort()).toEqual(
      expected.sort(),
    );
    expect(new Set(results.map((row) => `${row.address} ${row.deposed ?? ''}`)).size).toBe(results.length);
  }

  async function written(
    document: GeneratedDocument,
    layout: Layout,
  ): Promise<{ id: string; client: BackendClient }> {
    const client = new BackendClient(addressOf(backend.url, group, `fuzz-${++count}`), backend.key);
    const bytes = printDocument(document, layout);
    const answer = await client.post(bytes);
    expect([answer.status, answer.status === 200 ? '' : answer.bytes.toString()]).toEqual([200, '']);
    const { state_id: id } = answer.json() as { state_id: string };
    return { id, client };
  }

  type Edit = { kind: 'remove' | 'change' | 'add' | 'empty' | 'rename'; at: number };
  const edits: fc.Arbitrary<Edit[]> = fc.array(
    fc.record({ kind: fc.constantFrom('remove', 'change', 'add', 'empty', 'rename'), at: fc.nat() }),
    { minLength: 1, maxLength: 4 },
  );

  function edited(document: GeneratedDocument, list: readonly Edit[]): GeneratedDocument {
    const resources = [...document.resources];
    list.forEach(({ kind, at }, index) => {
      const place = resources.length === 0 ? 0 : at % resources.length;
      const resource = resources[place];
      const fresh: GeneratedInstance = { attributes: treeOf({ edited: at, index }), dependencies: [] };
      if (kind === 'add' || !resource) {
        resources.splice(place, 0, {
          mode: 'managed',
          type: 'test_added',
          name: `added_${index}_${at}`,
          provider: 'provider["registry.terraform.io/hashicorp/test"]',
          instances: [fresh],
        });
      } else if (kind === 'remove') resources.splice(place, 1);
      else if (kind === 'empty') resources[place] = { ...resource, instances: [] };
      else if (kind === 'rename') resources[place] = { ...resource, name: `renamed_${index}_${at}` };
      else {
        const instances = resource.instances.map((instance, position) =>
          position === at % resource.instances.length
            ? { ...instance, attributes: fresh.attributes }
            : instance,
        );
        resources[place] = { ...resource, instances };
      }
    });
    return { ...document, serial: document.serial + 1, resources };
  }

  it('come back byte for byte in every layout, and their graph counts what was generated, before and after an edit', async () => {
    await fc.assert(
      fc.asyncProperty(
        documents('fuzz'),
        fc.constantFrom(...LAYOUTS),
        edits,
        fc.constantFrom(...LAYOUTS),
        async (document, layout, list, later) => {
          const { id, client } = await written(document, layout);
          await expectServed(client.address, id, printDocument(document, layout));
          await expectGraph(id, document);
          const next = edited(document, list);
          const layoutOfNext = list.length % 2 === 0 ? later : layout;
          const answer = await client.post(printDocument(next, layoutOfNext));
          expect(answer.status).toBe(200);
          await expectServed(client.address, id, printDocument(next, layoutOfNext));
          await expectGraph(id, next);
          client.close();
        },
      ),
      { ...PARAMETERS, numRuns: RUNS },
    );
  }, 300_000);

  it('give the same graph written at once or edit by edit', async () => {
    await fc.assert(
      fc.asyncProperty(
        documents('fuzz'),
        fc.array(edits, { minLength: 2, maxLength: 4 }),
        async (document, lists) => {
          const step = await written(document, 'client');
          let current = document;
          for (const list of lists) {
            current = edited(current, list);
            expect((await step.client.post(printDocument(current))).status).toBe(200);
          }
          const whole = await written(current, 'client');
          for (const path of ['summary', 'modules', 'resources/summary', 'instances?limit=1000']) {
            const [one, other] = [
              await backend.api('GET', `/states/${step.id}/${path}`),
              await backend.api('GET', `/states/${whole.id}/${path}`),
            ];
            const sorted = (value: unknown): unknown => {
              const results = (value as { results?: object[] }).results;
              return results ? results.map((row) => JSON.stringify(row)).sort() : value;
            };
            expect([path, sorted(one.json())]).toEqual([path, sorted(other.json())]);
          }
          step.client.close();
          whole.client.close();
        },
      ),
      { ...PARAMETERS, numRuns: Math.ceil(RUNS / 4) },
    );
  }, 300_000);

  it.each([
    ['50,000 instances in 12,500 resources', { resources: 12_500, instancesEach: 4, padding: 30 }],
    ['50,000 instances of one resource', { resources: 1, instancesEach: 50_000, padding: 30 }],
  ])(
    'of %s come back byte for byte, at first and after one change',
    async (_name, size) => {
      const document = aLargeDocument({ ...size, lineage: 'large' });
      const { id, client } = await written(document, 'client');
      await expectServed(client.address, id, printDocument(document));
      expect((await backend.api('GET', `/states/${id}/summary`)).json()).toMatchObject(countsOf(document));
      const place = Math.floor(document.resources.length / 2);
      const resources = document.resources.map((resource, index) => {
        if (index !== place) return resource;
        const instances = resource.instances
          .filter((_, position) => position !== 1)
          .map((instance, position) =>
            position === 0 ? { ...instance, attributes: treeOf({ id: 'changed' }) } : instance,
          );
        return { ...resource, instances };
      });
      const next = { ...document, serial: 2, resources };
      expect((await client.post(printDocument(next))).json()).toMatchObject({ result: 'stored', version: 2 });
      await expectServed(client.address, id, printDocument(next));
      expect((await backend.api('GET', `/states/${id}/summary`)).json()).toMatchObject(countsOf(next));
      const address = `${resourceAddressOf(document.resources[place] ?? next.resources[0] ?? { mode: 'managed', type: '', name: '', provider: '', instances: [] })}[0]`;
      const { results } = (
        await backend.api('GET', `/states/${id}/instances?q=${encodeURIComponent(`address:"${address}"`)}`)
      ).json() as { results: { address: string; attributes: unknown }[] };
      expect(results.map((row) => [row.address, row.attributes])).toEqual([[address, { id: 'changed' }]]);
      const difference = (await backend.api('GET', `/states/${id}/versions/1/diff/2`)).json() as {
        added: string[];
        changed: { address: string }[];
        removed: string[];
      };
      expect([
        difference.added,
        difference.changed.map((change) => change.address),
        difference.removed,
      ]).toEqual([[], [address], [address.replace('[0]', '[1]')]]);
      client.close();
    },
    120_000,
  );

  it('changes of two writers in different parts of a large document are merged into a complete document', async () => {
    for (const size of [
      { resources: 2_000, padding: 500 },
      { resources: 2, instancesEach: 4_000, padding: 100 },
    ]) {
      const document = aLargeDocument({ ...size, lineage: 'large' });
      const { id, client } = await written(document, 'client');
      const other = new BackendClient(client.address, backend.key);
      await client.get();
      await other.get();
      const change = (resource: number, instance: number): GeneratedDocument => ({
        ...document,
        serial: 2,
        resources: document.resources.map((one, index) =>
          index === resource
            ? {
                ...one,
                instances: one.instances.map((item, position) =>
                  position === instance
                    ? { ...item, attributes: treeOf({ id: `changed ${resource} ${instance}` }) }
                    : item,
                ),
              }
            : one,
        ),
      });
      const last = document.resources.length - 1;
      const lastInstance = (document.resources[last]?.instances.length ?? 1) - 1;
      expect((await client.post(printDocument(change(0, 0)))).json()).toMatchObject({ result: 'stored' });
      expect((await other.post(printDocument(change(last, lastInstance)))).json()).toMatchObject({
        result: 'merged',
        serial: 3,
      });
      const both = {
        ...change(0, 0),
        serial: 3,
        resources: [
          ...change(0, 0).resources.slice(0, -1),
          ...change(last, lastInstance).resources.slice(-1),
        ],
      };
      await expectServed(client.address, id, printDocument(both));
      expect((await backend.api('GET', `/states/${id}/summary`)).json()).toMatchObject(countsOf(document));
      client.close();
      other.close();
    }
  });
});
