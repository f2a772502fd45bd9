import { randomUUID } from 'node:crypto';
import { type INestApplicationContext, Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { AppModule } from '../../src/app/app.module.js';
import { StatePricing } from '../../src/modules/costs/snapshots/state-pricing.service.js';
import { keyOf } from '../../src/modules/documents/index.js';
import { loadConfig } from '../../src/platform/config/index.js';
import { PinoLogger } from '../../src/platform/logging/index.js';
import { Clock } from '../../src/platform/time/clock.js';
import { environmentOf, freshDatabase, type TestDatabase } from './database.js';
import { providerOf } from './estate.js';

/** An instance of a state, without a document around it. */
export interface PlacedInstance {
  type: string;
  address: string;
  deposed?: string;
  attributes: Record<string, unknown>;
}

export interface CostState {
  id: string;
  tenantId: string;
  version: number;
  instances: ReadonlyMap<string, PlacedInstance>;
}

const NO_HASH = Buffer.alloc(32);

/** The costs module on a real database, with a clock that stands still and instances as writes leave them. */
export class CostHarness {
  now = new Date('2026-03-01T10:00:00Z');

  private constructor(
    readonly database: TestDatabase,
    readonly context: INestApplicationContext,
  ) {}

  static async start(env: Record<string, string> = {}): Promise<CostHarness> {
    Logger.overrideLogger(new PinoLogger('silent'));
    const database = await freshDatabase();
    const config = loadConfig({
      SERVICE_UI_BASE: 'http://localhost',
      SERVICE_COST_ENABLED: 'true',
      ...environmentOf(database),
      ...env,
    });
    const application = AppModule.of(config, { role: 'worker' });
    const context = await NestFactory.createApplicationContext(application, {
      abortOnError: false,
      logger: false,
    });
    const harness = new CostHarness(database, context);
    context.get(Clock).now = () => new Date(harness.now);
    return harness;
  }

  async stop(): Promise<void> {
    await this.context.close();
    await this.database.drop();
  }

  nextDays(days: number): void {
    this.now = new Date(this.now.getTime() + days * 86_400_000);
  }

  get today(): string {
    return this.now.toISOString().slice(0, 10);
  }

  get pricing(): StatePricing {
    return this.context.get(StatePricing);
  }

  async query<T extends object>(sql: string, values: unknown[] = []): Promise<T[]> {
    return (await this.database.pool.query<T>(sql, values)).rows;
  }

  async aTenant(): Promise<string> {
    const id = randomUUID();
    await this.query('INSERT INTO tenants (id, name) VALUES ($1, $2)', [id, `tenant ${id}`]);
    return id;
  }

  async aState(tenantId: string): Promise<CostState> {
    const [row] = await this.query<{ id: string }>(
      `INSERT INTO states (tenant_id, name, group_id, lineage) VALUES ($1, 'a state', $2, 'one') RETURNING id`,
      [tenantId, randomUUID()],
    );
    return { id: row?.id ?? '', tenantId, version: 0, instances: new Map() };
  }

  /** Leaves the rows that a write of these instances leaves. */
  async write(state: CostState, instances: readonly PlacedInstance[]): Promise<CostState> {
    const version = state.version + 1;
    const next = new Map(instances.map((each) => [keyOf(each.address, each.deposed), each]));
    const removed = [...state.instances.keys()].filter((key) => !next.has(key));
    const changed = [...next].filter(
      ([key, each]) => JSON.stringify(state.instances.get(key)) !== JSON.stringify(each),
    );
    const client = await this.database.pool.connect();
    try {
      await client.query('BEGIN');
      await client.query(`SELECT set_config('service.graph_version', $1, true)`, [String(version)]);
      await client.query('DELETE FROM instances WHERE state_id = $1 AND key = ANY($2::uuid[])', [
        state.id,
        [...removed, ...changed.map(([key]) => key)],
      ]);
      for (const [key, each] of changed)
        await client.query(
          `INSERT INTO instances (state_id, key, tenant_id, address, resource_address, mode, type, name, provider, deposed,
             create_before_destroy, attributes, hash) VALUES ($1, $2, $3, $4, $4, 'managed', $5, 'x', $6, $7, false, $8, $9)`,
          [
            ...[state.id, key, state.tenantId, each.address, each.type, providerOf(each.type)],
            ...[each.deposed ?? null, JSON.stringify(each.attributes), NO_HASH],
          ],
        );
      const changes = [...removed.map((key) => [key, 'r']), ...changed.map(([key]) => [key, 'c'])];
      for (const [key, op] of changes)
        await client.query(
          `INSERT INTO state_changes (state_id, version, key, op, address, tx_id, run_id) VALUES ($1, $2, $3, $4, 'x', $5, $5)`,
          [state.id, version, key, op, randomUUID()],
        );
      await client.query('UPDATE states SET version = $2 WHERE id = $1', [state.id, version]);
      await client.query('COMMIT');
    } finally {
      client.release();
    }
    return { ...state, version, instances: next };
  }
}
