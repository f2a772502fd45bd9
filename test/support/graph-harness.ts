import { randomUUID } from 'node:crypto';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app/app.module.js';
import { CopyTupleWriter } from '../../src/modules/documents/copy-tuple.js';
import type { InstanceMeta, OutputRow } from '../../src/modules/documents/index.js';
import { type InstanceBatch, StateWritten } from '../../src/modules/states/index.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { UnitOfWork } from '../../src/platform/database/index.js';
import { Events } from '../../src/platform/events/index.js';
import { PinoLogger } from '../../src/platform/logging/index.js';
import { environmentOf, freshDatabase, type TestDatabase } from './database.js';

/** An instance and its attributes; without any it has an `id` of its own. */
export interface WrittenInstance {
  meta: InstanceMeta;
  attributes?: Record<string, unknown>;
}

export interface GraphState {
  id: string;
  tenantId: string;
  groupId: string;
  version: number;
  instances: readonly WrittenInstance[];
}

/** The graph module on a real database, fed with the events that writes of documents publish. */
export class GraphHarness {
  private constructor(
    readonly database: TestDatabase,
    readonly context: INestApplicationContext,
    readonly tenantId: string,
  ) {}

  static async start(): Promise<GraphHarness> {
    Logger.overrideLogger(new PinoLogger('silent'));
    const database = await freshDatabase();
    const config = loadConfig({ SERVICE_UI_BASE: 'http://localhost', ...environmentOf(database) });

    const application = AppModule.of(config, { role: 'worker' });
    const context = await NestFactory.createApplicationContext(application, {
      abortOnError: false,
      logger: false,
    });
    const harness = new GraphHarness(database, context, randomUUID());
    await harness.aTenant(harness.tenantId);
    return harness;
  }

  async stop(): Promise<void> {
    await this.context.close();
    await this.database.drop();
  }

  async aTenant(id: string = randomUUID()): Promise<string> {
    await this.database.pool.query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [id, `tenant ${id}`]);
    return id;
  }

  async aState(values: { tenantId?: string; groupId?: string; name?: string } = {}): Promise<GraphState> {
    const { tenantId = this.tenantId, groupId = randomUUID(), name = 'a state' } = values;
    const { rows } = await this.database.pool.query<{ id: string }>(
      `INSERT INTO states (tenant_id, name, group_id, lineage) VALUES ($1, $2, $3, 'one') RETURNING id`,
      [tenantId, name, groupId],
    );
    return { id: rows[0]?.id ?? '', tenantId, groupId, version: 0, instances: [] };
  }

  /** Publishes what the write of a version would: everything as new, or the difference to what is there. */
  async write(
    state: GraphState,
    instances: readonly WrittenInstance[],
    how: { outputs?: OutputRow[]; reset?: boolean } = {},
  ): Promise<GraphState> {
    const reset = how.reset ?? state.version === 0;
    const next = { ...state, version: state.version + 1, instances };
    const changes = reset ? asNew(instances, next) : difference(state.instances, instances, next);
    await this.publish(next, changes.batches, { ...how, reset, topologyChanged: changes.topologyChanged });
    return next;
  }

  async publish(
    state: GraphState,
    batches: readonly InstanceBatch[] | (() => AsyncIterable<InstanceBatch>),
    how: { outputs?: OutputRow[]; reset?: boolean; topologyChanged?: boolean; graphError?: string } = {},
  ): Promise<void> {
    const work = this.context.get(UnitOfWork);
    const stream = typeof batches === 'function' ? batches : () => inTurn(batches);
    const { reset = false, topologyChanged = true, graphError, outputs } = how;
    const event = new StateWritten({
      stateId: state.id,
      tenantId: state.tenantId,
      version: state.version,
      reset,
      graphError,
      topologyChanged,
      outputs,
      checkResults: undefined,
      batches: stream,
    });
    await work.run(() => this.context.get(Events).publish(event));
  }

  async query<T extends object>(sql: string, values: unknown[] = []): Promise<T[]> {
    return (await this.database.pool.query<T>(sql, values)).rows;
  }
}

async function* inTurn(batches: readonly InstanceBatch[]): AsyncGenerator<InstanceBatch> {
  for (const batch of batches) yield await Promise.resolve(batch);
}

function asNew(instances: readonly WrittenInstance[], state: GraphState) {
  const batches: InstanceBatch[] = [];
  for (let at = 0; at < Math.max(1, instances.length); at += 7) {
    const part = instances.slice(at, at + 7);
    batches.push({
      removed: [],
      changed: [],
      added: part.map(({ meta }) => meta),
      copy: tuplesOf(part, state),
    });
  }
  return { batches, topologyChanged: true };
}

function difference(
  before: readonly WrittenInstance[],
  after: readonly WrittenInstance[],
  state: GraphState,
) {
  const old = new Map(before.map((each) => [each.meta.key, each]));
  const keys = new Set(after.map(({ meta }) => meta.key));
  const removed = before.filter(({ meta }) => !keys.has(meta.key)).map(({ meta }) => meta);
  const added = after.filter(({ meta }) => !old.has(meta.key));
  const text = (each: WrittenInstance | undefined) => JSON.stringify([each?.meta, each?.attributes]);
  const changed = after.filter(
    (each) => old.has(each.meta.key) && text(each) !== text(old.get(each.meta.key)),
  );
  const pairs = changed.flatMap(({ meta }) => {
    const known = old.get(meta.key);
    return known ? [{ before: known.meta, after: meta }] : [];
  });
  const names = ({ provider, dependencies }: InstanceMeta) => JSON.stringify([provider, dependencies]);
  const topologyChanged =
    removed.length > 0 || added.length > 0 || pairs.some((pair) => names(pair.before) !== names(pair.after));
  const batches: InstanceBatch[] = [
    { removed, changed: [], added: [], copy: Buffer.alloc(0) },
    {
      removed: [],
      changed: pairs,
      added: added.map(({ meta }) => meta),
      copy: tuplesOf([...changed, ...added], state),
    },
  ];
  return { batches, topologyChanged };
}

export function tuplesOf(instances: readonly WrittenInstance[], state: GraphState): Buffer {
  const tuples = new CopyTupleWriter();
  for (const { meta, attributes } of instances) {
    tuples.begin(18);
    tuples.uuid(state.id);
    tuples.uuid(meta.key);
    tuples.uuid(state.tenantId);
    for (const text of [
      meta.address,
      meta.resourceAddress,
      meta.mode,
      meta.type,
      meta.name,
      meta.module,
      meta.provider,
    ])
      tuples.text(text);
    tuples.jsonb(meta.indexKey === undefined ? undefined : JSON.stringify(meta.indexKey));
    tuples.text(meta.deposed);
    tuples.text(undefined);
    tuples.bigint(1);
    tuples.bool(false);
    tuples.jsonb(undefined);
    tuples.jsonb(JSON.stringify(attributes ?? { id: `id-${meta.key}` }));
    tuples.bytes(Buffer.alloc(16));
  }
  return tuples.take();
}

export function anOutput(name: string, value: unknown, sensitive = false): OutputRow {
  return { name, value: JSON.stringify(value), type: '"string"', sensitive };
}

/** The masked attributes of a data source that reads the outputs of a group's default workspace. */
export function remoteStateOf(groupId: string, outputs: Record<string, unknown>): string {
  return JSON.stringify({
    backend: 'http',
    config: { value: { address: `http://localhost/api/v1/states/backend/${groupId}` }, type: 'dynamic' },
    outputs: { value: outputs, type: 'dynamic' },
  });
}
