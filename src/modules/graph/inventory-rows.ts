import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { type CheckResultRow, keyOf, type OutputRow } from '../documents/index.js';
import type { Inventory } from './graph-statistics.rules.js';

const ROWS_AN_INSERT = 5000;

/** Rows of resources, modules, providers, outputs and check results: only those that differ are written. */
@Injectable()
export class InventoryRows {
  constructor(private readonly work: UnitOfWork) {}

  async write(stateId: string, before: Inventory, after: Inventory): Promise<void> {
    await this.writeResources(stateId, before, after);
    await this.writeModules(stateId, before, after);
    await this.writeProviders(stateId, before, after);
  }

  private async writeResources(stateId: string, before: Inventory, after: Inventory): Promise<void> {
    const gone = [...before.resources.keys()].filter((address) => !after.resources.has(address));
    if (gone.length > 0)
      await this.work.query('DELETE FROM resources WHERE state_id = $1 AND key = ANY($2::uuid[])', [
        stateId,
        gone.map((a) => keyOf(a)),
      ]);
    const rows = [...after.resources.values()].filter((row) => {
      const old = before.resources.get(row.address);
      return old?.instances !== row.instances || old.provider !== row.provider;
    });
    for (let at = 0; at < rows.length; at += ROWS_AN_INSERT) {
      const part = rows.slice(at, at + ROWS_AN_INSERT);
      await this.work.query(
        `INSERT INTO resources (state_id, key, address, mode, type, name, module, provider, instance_count)
         SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::int[])
         ON CONFLICT (state_id, key) DO UPDATE SET provider = EXCLUDED.provider, instance_count = EXCLUDED.instance_count`,
        [
          stateId,
          part.map((row) => keyOf(row.address)),
          part.map((row) => row.address),
          part.map((row) => row.mode),
          part.map((row) => row.type),
          part.map((row) => row.name),
          part.map((row) => row.module ?? null),
          part.map((row) => row.provider),
          part.map((row) => row.instances),
        ],
      );
    }
  }

  private async writeModules(stateId: string, before: Inventory, after: Inventory): Promise<void> {
    const gone = [...before.modules.keys()].filter((name) => !after.modules.has(name));
    if (gone.length > 0)
      await this.work.query('DELETE FROM modules WHERE state_id = $1 AND key = ANY($2::uuid[])', [
        stateId,
        gone.map((n) => keyOf(n)),
      ]);
    const rows = [...after.modules].filter(([name, counts]) => {
      const old = before.modules.get(name);
      return old?.instances !== counts.instances || old.resources !== counts.resources;
    });
    for (let at = 0; at < rows.length; at += ROWS_AN_INSERT) {
      const part = rows.slice(at, at + ROWS_AN_INSERT);
      await this.work.query(
        `INSERT INTO modules (state_id, key, name, resource_count, instance_count)
         SELECT $1, * FROM unnest($2::uuid[], $3::text[], $4::int[], $5::int[])
         ON CONFLICT (state_id, key) DO UPDATE SET resource_count = EXCLUDED.resource_count, instance_count = EXCLUDED.instance_count`,
        [
          stateId,
          part.map(([name]) => keyOf(name)),
          part.map(([name]) => name),
          part.map(([, c]) => c.resources),
          part.map(([, c]) => c.instances),
        ],
      );
    }
  }

  private async writeProviders(stateId: string, before: Inventory, after: Inventory): Promise<void> {
    const gone = [...before.providers.keys()].filter((name) => !after.providers.has(name));
    if (gone.length > 0)
      await this.work.query('DELETE FROM providers WHERE state_id = $1 AND name = ANY($2::text[])', [
        stateId,
        gone,
      ]);
    const rows = [...after.providers].filter(([name, count]) => before.providers.get(name) !== count);
    if (rows.length === 0) return;
    await this.work.query(
      `INSERT INTO providers (state_id, name, instance_count) SELECT $1, * FROM unnest($2::text[], $3::int[])
       ON CONFLICT (state_id, name) DO UPDATE SET instance_count = EXCLUDED.instance_count`,
      [stateId, rows.map(([name]) => name), rows.map(([, count]) => count)],
    );
  }

  async writeOutputs(stateId: string, outputs: readonly OutputRow[]): Promise<void> {
    await this.work.query('DELETE FROM outputs WHERE state_id = $1', [stateId]);
    if (outputs.length === 0) return;
    await this.work.query(
      `INSERT INTO outputs (state_id, key, name, value, type, sensitive)
       SELECT $1, k, n, v::jsonb, t::jsonb, s FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::boolean[]) AS o (k, n, v, t, s)`,
      [
        stateId,
        outputs.map((output) => keyOf(output.name)),
        outputs.map((output) => output.name.replaceAll('\0', '\ufffd')),
        outputs.map((output) => output.value),
        outputs.map((output) => output.type),
        outputs.map((output) => output.sensitive),
      ],
    );
  }

  async writeCheckResults(stateId: string, checks: readonly CheckResultRow[]): Promise<void> {
    await this.work.query('DELETE FROM check_results WHERE state_id = $1', [stateId]);
    if (checks.length === 0) return;
    await this.work.query(
      `INSERT INTO check_results (state_id, key, config_addr, object_kind, status, objects)
       SELECT $1, k, a, o, s, j::jsonb FROM unnest($2::uuid[], $3::text[], $4::text[], $5::text[], $6::text[]) AS c (k, a, o, s, j)
       ON CONFLICT (state_id, key) DO NOTHING`,
      [
        stateId,
        checks.map((check) => keyOf(check.configAddr)),
        checks.map((check) => check.configAddr),
        checks.map((check) => check.objectKind),
        checks.map((check) => check.status),
        checks.map((check) => JSON.stringify(check.objects)),
      ],
    );
  }
}
