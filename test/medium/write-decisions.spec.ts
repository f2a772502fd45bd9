import { deflateSync } from 'node:zlib';
import type { DataSource } from 'typeorm';
import { keyOf } from '../../src/modules/documents/index.js';
import { ChunkSource } from '../../src/modules/states/publishing/chunk-source.js';
import { ClientBases } from '../../src/modules/states/writing/client-bases.store.js';
import { ClientConnections } from '../../src/modules/states/writing/client-connections.js';
import type { ClientRun } from '../../src/modules/states/writing/client-run.js';
import { DocumentChunks } from '../../src/modules/states/chunks/document-chunks.store.js';
import { StateBaseEntity } from '../../src/modules/states/entities/state-base.entity.js';
import { StateSubmissionEntity } from '../../src/modules/states/entities/state-submission.entity.js';
import { StateVersionEntity } from '../../src/modules/states/entities/state-version.entity.js';
import { StateEntity } from '../../src/modules/states/entities/state.entity.js';
import { StoredDocuments } from '../../src/modules/states/chunks/stored-documents.store.js';
import type { WriteAttempt } from '../../src/modules/states/writing/write-attempt.js';
import { WriteDecisions } from '../../src/modules/states/writing/write-decisions.service.js';
import { Secrets } from '../../src/platform/crypto/secrets.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { connectedSource, freshDatabase, type TestDatabase } from '../support/database.js';

const RUN: ClientRun = {
  lockId: undefined,
  name: undefined,
  txId: undefined,
  credential: 'key',
  address: '10.0.0.1',
  connection: 'new',
};

const BY = {
  txId: '00000000-0000-4000-8000-000000000001',
  runId: '00000000-0000-4000-8000-000000000002',
  userId: undefined,
};

/** Counts the statements of whatever goes through the source. */
class StatementCount {
  count = 0;
  logQuery(): void {
    this.count++;
  }
  logQueryError(): void {}
  logQuerySlow(): void {}
  logSchemaBuild(): void {}
  logMigration(): void {}
  log(): void {}
}

/** Counts the rows that each statement brings. */
class CountingWork extends UnitOfWork {
  readonly rows: number[] = [];

  override async query<T>(sql: string, parameters: readonly unknown[] = []): Promise<T[]> {
    const rows = await super.query<T>(sql, parameters);
    this.rows.push(rows.length);
    return rows;
  }
}

describe('What a write was made from', () => {
  let database: TestDatabase;
  let source: DataSource;
  const statements = new StatementCount();

  beforeAll(async () => {
    database = await freshDatabase();
    source = await connectedSource(database, {
      entities: [StateEntity, StateVersionEntity, StateSubmissionEntity, StateBaseEntity],
      logger: statements,
      logging: true,
    });
  });
  afterAll(async () => {
    await source.destroy();
    await database.drop();
  });

  const hash = (n: number) => n.toString(16).padStart(64, '0');
  const list = (numbers: readonly number[]) => Buffer.from(numbers.map(hash).join(''), 'hex');

  /** So many versions of one instance each, all with serial `serialOf`, each sent by a client with the same key. */
  async function aState(versions: number, serialOf: (version: number) => number): Promise<StateEntity> {
    const { pool } = database;
    const { rows } = await pool.query<{ id: string }>(
      `WITH t AS (INSERT INTO tenants (name) VALUES (gen_random_uuid()) RETURNING id)
       INSERT INTO states (tenant_id, name, group_id, lineage, version, serial, format) SELECT id, 'x', gen_random_uuid(), 'l', $1, $2, 'terraform' FROM t RETURNING id`,
      [versions, serialOf(versions)],
    );
    const id = rows[0]?.id ?? '';
    for (let n = 1; n <= versions + 1; n++) {
      const node = { key: keyOf('a.b'), address: 'a.b', resourceAddress: 'a.b', hash: hash(n) };
      await pool.query(
        `INSERT INTO state_chunks (state_id, hash, kind, size, crc32, data, node_index) VALUES ($1, $2, 1, 1, 1, '', $3)`,
        [id, list([n]), deflateSync(JSON.stringify([node]))],
      );
      if (n > versions) continue;
      await pool.query(
        `INSERT INTO state_versions (state_id, version, origin, serial, lineage, format, md5, crc32, size, chunks, frame, tx_id, run_id)
         VALUES ($1, $2, 'backend', $3, 'l', 'terraform', $4, 0, 1, $4, '{"outputs":{},"checks":{}}', gen_random_uuid(), gen_random_uuid())`,
        [id, n, serialOf(n), list([n])],
      );
      await pool.query(
        `INSERT INTO state_bases (id, state_id, run_id, kind, credential, address, connection, serial, document_version, base_version, seen_version)
         VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'sent', $2, $3, gen_random_uuid(), $4, $5, $5, $5)`,
        [id, RUN.credential, RUN.address, serialOf(n), n],
      );
    }
    return source.manager.findOneByOrFail(StateEntity, { id });
  }

  function documentOf(state: StateEntity, n: number, serial: number): WriteAttempt['next'] {
    return {
      hashes: [hash(n)],
      frame: { outputs: {}, checks: {} },
      serial,
      lineage: state.lineage,
      format: 'terraform',
      terraformVersion: undefined,
      graphError: undefined,
      md5: Buffer.from('another'),
      crc32: 0,
      size: 1,
      outputs: [],
      checkResults: [],
    };
  }

  async function decisionOn(state: StateEntity, next: WriteAttempt['next']) {
    const work = new UnitOfWork(source);
    const [secrets, clock] = [new Secrets(), new Clock()];
    const [documents, bases] = [new StoredDocuments(work, clock), new ClientBases(work, secrets, clock)];
    const chunks = new ChunkSource(
      new DocumentChunks(work),
      { stateId: state.id, tenantId: state.tenantId },
      undefined,
    );
    statements.count = 0;
    const decision = await new WriteDecisions(
      work,
      documents,
      bases,
      new ClientConnections(clock, secrets),
      new DocumentChunks(work),
      secrets,
      clock,
    ).decide({ state, next, source: chunks, by: BY, run: RUN }, { force: false });
    return { decision, statements: statements.count };
  }

  it('is found among many look-alikes with as many statements as among two', async () => {
    const [few, many] = [await aState(2, () => 7), await aState(40, () => 7)];
    const two = await decisionOn(few, documentOf(few, 3, 8));
    const forty = await decisionOn(many, documentOf(many, 41, 8));
    expect([two.decision.kind, forty.decision.kind]).toEqual(['store', 'store']);
    expect(forty.statements).toBe(two.statements);
  });

  it('is told from a lost answer by one statement, however often that serial was sent', async () => {
    const [few, many] = [await aState(1, () => 7), await aState(40, () => 7)];
    const one = await decisionOn(few, documentOf(few, 1, 7));
    const forty = await decisionOn(many, documentOf(many, 40, 7));
    expect(forty.statements).toBe(one.statements);
    const again = { ...documentOf(many, 11, 7), md5: list([11]) };
    expect((await decisionOn(many, again)).decision).toMatchObject({
      kind: 'unchanged',
      taken: { document: { version: 11 } },
    });
  });

  it('is found too for a document that names an instance twice', async () => {
    const state = await aState(2, () => 7);
    const next = { ...documentOf(state, 3, 8), hashes: [hash(1), hash(3)] };
    expect((await decisionOn(state, next)).decision.kind).toBe('store');
  });

  it('is looked for among the newest of what has any lower serial', async () => {
    const state = await aState(60, (version) => version);
    const work = new CountingWork(source);
    const found = await new ClientBases(work, new Secrets(), new Clock()).looseBefore(state.id, RUN, 100);
    expect(found.map(({ document }) => document)).toEqual(
      Array.from({ length: 51 }, (_, n) => ({ version: 60 - n })),
    );
    expect(work.rows).toEqual([51]);
  });
});
