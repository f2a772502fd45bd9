import { randomUUID } from 'node:crypto';
import { deflateSync } from 'node:zlib';
import type { DataSource } from 'typeorm';
import { chunkOf, keyOf } from '../../src/modules/documents/index.js';
import { DocumentChunks } from '../../src/modules/states/chunks/document-chunks.store.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

const CHUNKS = 1200;
/** More in all than the lists that are kept in memory. */
const INSTANCES = 50;

/** Remembers how many chunks each statement asks for. */
class CountingWork extends UnitOfWork {
  readonly asked: number[] = [];

  override async query<T>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
    for (const parameter of parameters) if (Array.isArray(parameter)) this.asked.push(parameter.length);
    return super.query<T>(sql, parameters);
  }
}

describe('The chunks of a large document', () => {
  let database: TestDatabase;
  let source: DataSource;
  const stateId = randomUUID();
  const hashes = Array.from({ length: CHUNKS }, (_, n) => n.toString(16).padStart(64, '0'));
  const instance = (n: number, index: number) => `${address(n)}[${index}]`;
  const address = (n: number) => `module.m["${n}"].aws_instance.a`;

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database);
    const indexes = hashes.map((_, n) =>
      deflateSync(
        JSON.stringify(
          Array.from({ length: INSTANCES }, (__, index) => ({
            key: keyOf(instance(n, index)),
            resourceAddress: address(n),
            module: `module.m["${n}"]`,
          })),
        ),
      ),
    );
    await database.pool.query(
      `INSERT INTO state_chunks (state_id, hash, kind, size, crc32, data, node_index)
       SELECT $1, h, 1, 1, 1, '', i FROM unnest($2::bytea[], $3::bytea[]) AS c (h, i)`,
      [stateId, hashes.map((hash) => Buffer.from(hash, 'hex')), indexes],
    );
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  it('are looked through once: later only those are read that hold what is wanted', async () => {
    const work = new CountingWork(source);
    const chunks = new DocumentChunks(work);
    const first = await chunks.indexesHolding(stateId, hashes, { keys: new Set([keyOf(instance(7, 3))]) });
    expect([...first.keys()]).toEqual([hashes[7]]);
    expect(work.asked.reduce((sum, count) => sum + count, 0)).toBeGreaterThanOrEqual(CHUNKS);
    work.asked.length = 0;
    const byKey = await chunks.indexesHolding(stateId, hashes, { keys: new Set([keyOf(instance(900, 49))]) });
    const byResource = await chunks.indexesHolding(stateId, hashes, { resources: new Set([address(901)]) });
    const nothing = await chunks.indexesHolding(stateId, hashes, { keys: new Set([keyOf('a.b')]) });
    expect([...byKey.keys(), ...byResource.keys(), ...nothing.keys()]).toEqual([hashes[900], hashes[901]]);
    expect(work.asked.reduce((sum, count) => sum + count, 0)).toBeLessThanOrEqual(2);
  });

  it('are described all of them, however many more there are than are remembered', async () => {
    const many = 30_000;
    const other = randomUUID();
    await database.pool.query(
      `INSERT INTO state_chunks (state_id, hash, kind, size, crc32, data)
       SELECT $1, decode(lpad(to_hex(n), 64, '0'), 'hex'), 1, 1, 1, '' FROM generate_series(1, $2) n`,
      [other, many],
    );
    const chunks = new DocumentChunks(new UnitOfWork(source));
    const wanted = Array.from({ length: many }, (_, n) => (n + 1).toString(16).padStart(64, '0'));
    for (let time = 0; time < 3; time++)
      expect((await chunks.describe(other, wanted)).map(({ hash }) => hash).sort()).toEqual(wanted);
  });

  it('are remembered in as much memory as they have bytes', async () => {
    const chunks = new DocumentChunks(new UnitOfWork(source));
    const other = randomUUID();
    const bytes = Buffer.from('{"version": 4, "resources": [');
    const frame = chunkOf({ kind: 'frame', bytes, open: false }, { stateId: other, tenantId: randomUUID() });
    await chunks.insertRows(other, [frame]);
    const { value: remembered } = await chunks.read(other, [frame.hash]).next();
    expect(remembered).toMatchObject({ hash: frame.hash, data: frame.data });
    expect((remembered as { data: Buffer }).data.buffer.byteLength).toBe(frame.data.length);
  });

  it('are all found by an address that they share without its keys', async () => {
    const chunks = new DocumentChunks(new UnitOfWork(source));
    const found = await chunks.indexesHolding(stateId, hashes, {
      configs: new Set(['module.m.aws_instance.a']),
    });
    expect([...found.keys()].sort()).toEqual(hashes);
  });

  it('are known without a look at history: of the current version and of what the connection had last', async () => {
    const { pool } = database;
    const chunks = new DocumentChunks(new UnitOfWork(source));
    const tenant = await pool.query<{ id: string }>(`INSERT INTO tenants (name) VALUES ('t') RETURNING id`);
    const made = await pool.query<{ id: string }>(
      `INSERT INTO states (tenant_id, name, group_id, lineage, version) VALUES ($1, 'x', gen_random_uuid(), 'l', 9) RETURNING id`,
      [tenant.rows[0]?.id],
    );
    const id = made.rows[0]?.id ?? '';
    const hash = (n: number) => n.toString(16).padStart(64, '0');
    const list = (numbers: number[]) => Buffer.from(numbers.map(hash).join(''), 'hex');
    const values = `serial, lineage, format, md5, crc32, size, chunks, frame, tx_id, run_id`;
    const rest = `1, 'l', 'terraform', '', 0, 1, $3, '{}', gen_random_uuid(), gen_random_uuid()`;
    // Each version has a chunk of its own beside the two that all share; chunk 100 could not be decomposed.
    for (let version = 1; version <= 9; version++)
      await pool.query(
        `INSERT INTO state_versions (state_id, version, origin, ${values}) VALUES ($1, $2, 'backend', ${rest})`,
        [id, version, list([0, 100, version])],
      );
    const [merged, refused] = [randomUUID(), randomUUID()];
    for (const [submission, status, own] of [
      [merged, 'merged', 20],
      [refused, 'refused', 21],
    ])
      await pool.query(
        `INSERT INTO state_submissions (id, state_id, status, ${values}) VALUES ($2, $1, '${status}', ${rest})`,
        [id, submission, list([0, Number(own)])],
      );
    await pool.query(
      `INSERT INTO state_chunks (state_id, hash, kind, size, crc32, data, node_index)
       SELECT $1, h, CASE WHEN get_byte(h, 31) = 0 THEN 0 ELSE 1 END, 1, 1, '', CASE WHEN get_byte(h, 31) NOT IN (0, 100) THEN ''::bytea END
       FROM unnest($2::bytea[]) h`,
      [id, [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 21, 100].map((n) => list([n]))],
    );
    const had = (connection: string, version: number | null, submission: string | null, age: number) =>
      pool.query(
        `INSERT INTO state_bases (id, state_id, run_id, kind, credential, address, connection, serial, document_version, document_submission, seen_version, at)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'sent', 'c', 'a', $2, 1, $3, $4, 1, now() - make_interval(secs => $5))`,
        [id, connection, version, submission, age],
      );
    await had('reader', 4, null, 1);
    await had('reader', 3, null, 2);
    await had('merger', null, merged, 1);
    await had('loser', null, refused, 1);
    await had('current', 9, null, 1);
    const known = async (connection?: string) =>
      (await chunks.known(id, connection)).map((each) => parseInt(each, 16)).sort((a, b) => a - b);
    expect(await known()).toEqual([0, 9, 100]);
    expect(await known('reader')).toEqual([0, 4, 9, 100]);
    expect(await known('merger')).toEqual([0, 9, 20, 100]);
    expect(await known('loser')).toEqual([0, 9, 100]);
    expect(await known('current')).toEqual([0, 9, 100]);
    // A document without a graph is asked chunk by chunk which of it was decomposed.
    await pool.query(`UPDATE state_versions SET graph_error = 'x' WHERE state_id = $1 AND version = 9`, [id]);
    expect(await known('reader')).toEqual([0, 4, 9, 100]);
    expect(await known()).toEqual([0, 9]);
  });
});
