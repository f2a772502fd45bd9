import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { aBackend, BackendClient, type TestBackend } from '../support/backend.js';
import { startService } from '../support/service.js';

const PROVIDER = 'provider["registry.terraform.io/hashicorp/aws"]';
const TABLES = [
  'instances',
  'resources',
  'modules',
  'providers',
  'outputs',
  'output_sources',
  'check_results',
  'state_graphs',
  'state_links',
];

/** A state that reads the outputs of `group`. */
function documentOf(group: string): Buffer {
  const resource = (type: string, name: string, attributes: object, dependencies: string[] = []) => ({
    mode: type === 'terraform_remote_state' ? 'data' : 'managed',
    type,
    name,
    provider: PROVIDER,
    instances: [0, 1].map((index_key) => ({ index_key, schema_version: 0, attributes, dependencies })),
  });
  const reference = {
    backend: 'http',
    config: { value: { address: `http://service/api/v1/states/backend/${group}/default` }, type: 'dynamic' },
    outputs: { value: { vpc: 'vpc-0a1b2c3d' }, type: 'dynamic' },
  };
  return Buffer.from(
    JSON.stringify({
      version: 4,
      terraform_version: '1.11.4',
      serial: 1,
      lineage: randomUUID(),
      outputs: { vpc: { value: 'vpc-0a1b2c3d', type: 'string' } },
      resources: [
        resource('aws_vpc', 'main', { id: 'vpc-0a1b2c3d' }),
        resource('aws_subnet', 'main', { id: 'subnet-1' }, ['aws_vpc.main']),
        resource('terraform_remote_state', 'up', reference),
      ],
      check_results: [{ object_kind: 'check', config_addr: 'check.health', status: 'pass', objects: null }],
    }),
  );
}

const BROKEN = '00000000-0000-0000-0000-000000000001';

describe('Rows of an older form', () => {
  let backend: TestBackend;
  beforeAll(async () => {
    backend = await aBackend();
  });
  afterAll(() => backend.stop());

  async function rows(): Promise<Record<string, unknown[]>> {
    const found: Record<string, unknown[]> = {};
    for (const table of TABLES) {
      const { rows: texts } = await backend.service.pool.query<{ row: string }>(
        `SELECT t::text AS row FROM ${table} t ORDER BY 1`,
      );
      found[table] = texts.map(({ row }) => row);
    }
    return found;
  }

  /** A state whose document lacks a chunk, and which comes first. */
  async function aBrokenState(): Promise<void> {
    await backend.service.pool.query(
      `INSERT INTO states (id, tenant_id, name, group_id, lineage, version, format) VALUES ($1, $2, 'broken', $1, 'l', 1, 'terraform')`,
      [BROKEN, backend.tenantId],
    );
    await backend.service.pool.query(
      `INSERT INTO state_versions (state_id, version, origin, serial, lineage, format, crc32, size, chunks, frame, tx_id, run_id)
       VALUES ($1, 1, 'backend', 1, 'l', 'terraform', 0, 1, $2, '{"outputs":{},"checks":{}}', $1, $1)`,
      [BROKEN, Buffer.alloc(32)],
    );
  }

  it('are made again by the worker, from the stored document, whatever is wrong with another', async () => {
    await aBrokenState();
    const up = await backend.aState();
    for (const state of [up, await backend.aState()]) {
      const client = new BackendClient(state.address, backend.key);
      expect((await client.post(documentOf(up.groupId))).status).toBe(200);
      client.close();
    }
    const before = await rows();
    expect(TABLES.filter((table) => before[table]?.length === 0)).toEqual([]);
    const { pool, database } = backend.service;
    for (const table of ['state_graphs', 'output_sources']) await pool.query(`TRUNCATE ${table}`);
    await pool.query("DELETE FROM instances WHERE type = 'aws_subnet'");
    await pool.query('UPDATE states SET graph_format = 0');

    const worker = await startService({ role: 'worker', database });
    try {
      const outdated = async () =>
        (
          await pool.query('SELECT 1 FROM states WHERE version > 0 AND graph_format = 0 AND id <> $1', [
            BROKEN,
          ])
        ).rowCount;
      for (let i = 0; i < 100 && (await outdated()) !== 0; i++) await delay(100);
      expect(await outdated()).toBe(0);
      expect(await rows()).toEqual(before);
    } finally {
      await worker.stop();
    }
  });
});
