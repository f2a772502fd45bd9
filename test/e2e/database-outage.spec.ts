import { readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import {
  aBackend,
  backendBlock,
  BackendClient,
  bytesOf,
  send,
  type TestBackend,
} from '../support/backend.js';
import { DatabaseGate } from '../support/database-gate.js';
import { freshDatabase, type TestDatabase } from '../support/database.js';
import { freePort } from '../support/service.js';
import { describeWith, TerraformWorkspace } from '../support/terraform.js';

/** A failover. Terraform sends a refused write again after the five seconds that it is told, twice. */
const OUTAGE_MS = 9_000;

describe('When the database is away', () => {
  let database: TestDatabase;
  let gate: DatabaseGate;
  let backend: TestBackend;

  beforeAll(async () => {
    database = await freshDatabase();
    gate = await DatabaseGate.open(database.connection, await freePort());
    const env = { DB_HOST: '127.0.0.1', DB_PORT: String(gate.port) };
    backend = await aBackend({ database, env });
  });
  afterEach(() => gate.open());
  afterAll(async () => {
    await backend.stop();
    await gate.shut();
    await database.drop();
  });

  /** The service has noticed that its connections are there again. */
  async function recovered(): Promise<void> {
    for (;;) {
      const { status } = await send(`${backend.url}/health/ready`);
      if (status === 200) return;
      await delay(50);
    }
  }

  it('answers every operation of the backend 503 with the time to wait, and logs why', async () => {
    const state = await backend.aState();
    const client = new BackendClient(state.address, backend.key);
    const document = bytesOf(new Map([['a', '1']]), 1, 'lineage');
    const lock = { ID: 'a-lock' };
    await gate.shut();
    const answers = [
      await client.get(),
      await client.lock(lock),
      await client.post(document),
      await client.unlock(lock),
      await backend.api('GET', '/whoami'),
      await backend.api('GET', '/mql?q=SELECT+1'),
    ];
    for (const answer of answers)
      expect([answer.status, answer.headers['retry-after'], answer.json()]).toEqual([
        503,
        '5',
        { id: 'UNAVAILABLE', data: 'the database does not answer; try again' },
      ]);
    const logged = () =>
      backend.service
        .output()
        .split('\n')
        .filter((line) => line.includes('"request refused"') && line.endsWith('}'))
        .map((line) => JSON.parse(line) as { kind: string; reason: string });
    // The answer may be here before the line is.
    while (logged().length < answers.length) await delay(50);
    const reasons = logged();
    expect(reasons.map(({ reason }) => reason)).toEqual(
      reasons.map(() => 'the database does not answer; try again'),
    );
    expect(reasons.some(({ kind }) => kind.includes('ECONNREFUSED'))).toBe(true);

    await gate.open();
    await recovered();
    expect((await client.post(document)).status).toBe(200);
    client.close();
  });

  it('answers no route that reads it anything but 503', async () => {
    const description = JSON.parse(
      readFileSync(join(__dirname, '..', '..', 'docs', 'openapi.json'), 'utf8'),
    ) as { paths: Record<string, Record<string, { security?: unknown[] }>> };
    const paths = Object.entries(description.paths)
      .filter(([, { get }]) => get?.security?.length)
      .map(([path]) => path.replaceAll(/\{\w+\}/g, backend.tenantId));
    await gate.shut();
    const answers = await Promise.all(
      paths.map(async (path) => [path, (await send(backend.url + path, { key: backend.key })).status]),
    );
    expect(answers).toEqual(paths.map((path) => [path, 503]));
    await gate.open();
    await recovered();
  });

  describeWith('terraform', 'for nine seconds in the middle of an apply', () => {
    let control: Server;

    /** GET / shuts the gate and opens it after the outage. */
    beforeAll(() => {
      control = createServer((_request, response) => {
        void gate.shut().then(() => {
          setTimeout(() => void gate.open(), OUTAGE_MS);
          response.end();
        });
      }).listen(0, '127.0.0.1');
    });
    afterAll(() => control.close());

    const hit = (port: number): string =>
      `resource "terraform_data" "created" {
  provisioner "local-exec" {
    command = "node -e \\"fetch('http://127.0.0.1:${port}')\\""
  }
}
`;

    it.each([
      ['without', () => [] as string[]],
      [
        'with',
        (address: string) => [
          `lock_address = "${address}"`,
          `unlock_address = "${address}"`,
          'lock_method = "LOCK"',
          'unlock_method = "UNLOCK"',
        ],
      ],
    ])(
      'the real client ends well, %s locks',
      async (_name, lines) => {
        const state = await backend.aState();
        const { port } = control.address() as AddressInfo;
        const workspace = new TerraformWorkspace({
          'backend.tf': backendBlock(state.address, backend.key, lines(state.address)),
          'main.tf': hit(port),
        });
        try {
          await workspace.run(['init', '-no-color']);
          expect(await workspace.run(['apply', '-auto-approve', '-no-color'])).toContain('1 added');
          await recovered();
          const stored = (await send(state.address, { key: backend.key })).json() as { resources: unknown[] };
          expect(stored.resources).toHaveLength(1);
          expect(await workspace.run(['plan', '-no-color'])).toContain('No changes.');
        } finally {
          workspace.remove();
        }
      },
      120_000,
    );
  });
});
