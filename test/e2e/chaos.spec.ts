import {
  addressOf,
  aBackend,
  Answer,
  backendBlock,
  BackendClient,
  send,
  TestBackend,
  TestState,
} from '../support/backend.js';
import { ChaosProxy, Fate } from '../support/chaos-proxy.js';
import { aLargeDocument, GeneratedDocument, printDocument, treeOf } from '../support/document-generator.js';
import { rounds } from '../support/endurance.js';
import { describeWith, TerraformWorkspace } from '../support/terraform.js';

const KILLS = Number(process.env['CHAOS_KILLS'] ?? rounds(2, 12));

/** The document of a serial: the same base with one instance that names the serial. */
function edited(base: GeneratedDocument, serial: number): Buffer {
  const resources = base.resources.map((resource, index) =>
    index === serial % base.resources.length
      ? { ...resource, instances: [{ attributes: treeOf({ id: `serial-${serial}` }), dependencies: [] }] }
      : resource,
  );
  return printDocument({ ...base, serial, resources });
}

async function attempt(call: () => Promise<Answer>): Promise<Answer | undefined> {
  try {
    return await call();
  } catch {
    return undefined;
  }
}

describe('When connections break and processes die', () => {
  let backend: TestBackend;

  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(() => backend.stop());

  /** Each version once, none lost, all of it there, and every chunk that a version names stored. */
  async function expectIntact(state: TestState, last: Buffer, serials: number[]): Promise<void> {
    const now = await send(state.address, { key: backend.key });
    expect([now.status, now.bytes.equals(last)]).toEqual([200, true]);
    const { results } = (await backend.api('GET', `/states/${state.id}/versions?limit=1000`)).json() as {
      results: { serial: number; version: number; size: number }[];
    };
    expect(results.map((row) => row.serial).reverse()).toEqual(serials);
    expect(results.map((row) => row.version).reverse()).toEqual(serials.map((_, index) => index + 1));
    for (const { serial, size } of results) {
      const old = await backend.api('GET', `/states/${state.id}/versions/${serial}`);
      expect([old.status, old.bytes.length, (old.json() as { serial: number }).serial]).toEqual([
        200,
        size,
        serial,
      ]);
    }
    const { instances } = (await backend.api('GET', `/states/${state.id}/summary`)).json() as {
      instances: number;
    };
    const document = now.json() as { resources: { instances: unknown[] }[] };
    expect(instances).toBe(document.resources.reduce((sum, resource) => sum + resource.instances.length, 0));
  }

  it.each([
    ['a small document', { resources: 3, padding: 100 }],
    ['a document of many chunks', { resources: 1500, padding: 700 }],
  ])(
    'the client that sends %s again is answered 200 once and for all, wherever it was cut',
    async (_name, size) => {
      const base = aLargeDocument({ ...size, lineage: 'one' });
      const length = edited(base, 1).length;
      const fates: Fate[] = [
        { kind: 'cut-request', after: 10 },
        { kind: 'cut-request', after: 300 },
        { kind: 'cut-request', after: Math.floor(length / 2) },
        { kind: 'cut-request', after: length - 1 },
        { kind: 'cut-answer', after: 1 },
        { kind: 'cut-answer', after: 40 },
        { kind: 'cut-answer', after: 1 },
      ];
      const state = await backend.aState();
      let fate: Fate = { kind: 'pass' };
      const proxy = await ChaosProxy.start(backend.url, () => fate);
      const throughProxy = addressOf(proxy.url, state.groupId);
      const serials: number[] = [];
      let last: Buffer = Buffer.alloc(0);
      for (const [index, next] of fates.entries()) {
        const serial = index + 1;
        last = edited(base, serial);
        fate = next;
        const client = new BackendClient(throughProxy, backend.key);
        expect([next, (await attempt(() => client.post(last)))?.status]).toEqual([next, undefined]);
        fate = { kind: 'pass' };
        const again = new BackendClient(throughProxy, backend.key);
        expect([next, (await again.post(last)).status]).toEqual([next, 200]);
        serials.push(serial);
        client.close();
        again.close();
      }
      await proxy.stop();
      await expectIntact(state, last, serials);
    },
  );

  it('a client that gives up after a cut finds the document before it or the one it sent, whole', async () => {
    const base = aLargeDocument({ resources: 400, padding: 900, lineage: 'one' });
    const state = await backend.aState();
    const first = edited(base, 1);
    await send(state.address, { method: 'POST', key: backend.key, body: first });
    const next = edited(base, 2);
    for (let cut = 0; cut < 12; cut++) {
      const fate: Fate = { kind: 'cut-request', after: Math.floor((next.length * cut) / 12) + 200 };
      const proxy = await ChaosProxy.start(backend.url, () => fate);
      const client = new BackendClient(addressOf(proxy.url, state.groupId), backend.key);
      await attempt(() => client.post(next));
      client.close();
      await proxy.stop();
      expect((await send(state.address, { key: backend.key })).bytes.equals(first)).toBe(true);
    }
    await expectIntact(state, first, [1]);
  });

  it.each([
    ['small documents', { resources: 3, padding: 100 }],
    ['documents of many chunks', { resources: 3000, padding: 700 }],
  ])(
    'kill -9 during POSTs of %s loses nothing that was acknowledged and stores nothing twice',
    async (_name, size) => {
      const base = aLargeDocument({ ...size, lineage: 'one' });
      const state = await backend.aState();
      let acknowledged = edited(base, 1);
      expect(
        (await send(state.address, { method: 'POST', key: backend.key, body: acknowledged })).status,
      ).toBe(200);
      let serial = 1;
      const serials = [1];
      for (let kill = 0; kill < KILLS; kill++) {
        const client = new BackendClient(state.address, backend.key);
        await client.get();
        // The process dies while one of a row of writes is on its way; which one depends on the machine.
        let dead: Promise<void> | undefined;
        let sent: Buffer | undefined;
        for (let write = 0; write < 50; write++) {
          sent = edited(base, ++serial);
          const document = sent;
          const pending = attempt(() => client.post(document));
          if (write === kill % 3) dead = backend.service.kill9();
          const answer = await pending;
          if (answer?.status !== 200) break;
          acknowledged = document;
          serials.push(serial);
          sent = undefined;
        }
        await dead;
        client.close();
        await backend.service.restart();
        const now = (await send(state.address, { key: backend.key })).bytes;
        const isSent = sent !== undefined && now.equals(sent);
        expect([kill, isSent || now.equals(acknowledged)]).toEqual([kill, true]);
        // The client sends what was not answered again.
        if (sent) {
          expect((await send(state.address, { method: 'POST', key: backend.key, body: sent })).status).toBe(
            200,
          );
          acknowledged = sent;
          serials.push(serial);
        }
      }
      await expectIntact(state, acknowledged, serials);
    },
    120_000,
  );
});

describeWith('terraform', 'The real client behind a proxy that cuts connections', () => {
  let backend: TestBackend;

  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(() => backend.stop());

  it('retries and ends with everything applied, and no version twice', async () => {
    const state = await backend.aState();
    const fates: Fate[] = [
      { kind: 'cut-answer', after: 1 },
      { kind: 'pass' },
      { kind: 'cut-request', after: 400 },
      { kind: 'pass' },
    ];
    const proxy = await ChaosProxy.start(
      backend.url,
      (connection) => fates[connection % fates.length] ?? { kind: 'pass' },
    );
    const waits = ['retry_max = 6', 'retry_wait_min = 1', 'retry_wait_max = 1'];
    const workspace = new TerraformWorkspace({
      'backend.tf': backendBlock(addressOf(proxy.url, state.groupId), backend.key, waits),
      'main.tf': 'resource "terraform_data" "a" {\n  count = 5\n}\n',
    });
    await workspace.run(['init']);
    await workspace.run(['apply', '-auto-approve']);
    expect(await workspace.run(['plan', '-no-color'])).toContain('No changes.');
    workspace.remove();
    await proxy.stop();
    const { results } = (await backend.api('GET', `/states/${state.id}/versions`)).json() as {
      results: { serial: number }[];
    };
    expect(new Set(results.map((row) => row.serial)).size).toBe(results.length);
  });
});
