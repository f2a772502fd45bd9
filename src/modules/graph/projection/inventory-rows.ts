import { pipeline } from 'node:stream/promises';
import { Injectable } from '@nestjs/common';
import { from as copyFrom } from 'pg-copy-streams';
import { UnitOfWork } from '../../../platform/database/index.js';
import { type CheckResultRow, type InstanceMeta, keyOf, type OutputRow } from '../../documents/index.js';
import { type Inventory, type ResourceCount, ROOT_MODULE } from './graph-statistics.rules.js';

/** What a change set names: only these can have other counts than before. */
export class TouchedInventory {
  readonly resources = new Set<string>();
  readonly modules = new Set<string>();
  readonly providers = new Set<string>();

  add(metas: readonly InstanceMeta[]): void {
    for (const meta of metas) {
      this.resources.add(meta.resourceAddress);
      this.modules.add(meta.module ?? ROOT_MODULE);
      this.providers.add(meta.provider);
    }
  }
}

/** Rows of resources, modules, providers, outputs and check results. */
@Injectable()
export class InventoryRows {
  constructor(private readonly work: UnitOfWork) {}

  /** Everything as new; nothing of the state may be in the tables. */
  async writeAll(stateId: string, inventory: Inventory): Promise<void> {
    const { resources, modules, providers } = inventory;
    await this.copy(
      'resources (state_id, key, address, mode, type, name, module, provider, instance_count)',
      mapped(resources.values(), (row) => resourceFields(stateId, row)),
    );
    await this.copy(
      'modules (state_id, key, name, resource_count, instance_count)',
      mapped(modules, ([name, module]) => [stateId, keyOf(name), name, module.resources, module.instances]),
    );
    await this.copy(
      'providers (state_id, name, instance_count)',
      mapped(providers, ([name, count]) => [stateId, name, count]),
    );
  }

  /** Only what the change set touches; rows vanish when nothing is left to count. */
  async writeTouched(stateId: string, touched: TouchedInventory, inventory: Inventory): Promise<void> {
    const { resources, modules, providers } = touched;
    const addresses = [...resources].map((address) => keyOf(address));
    const names = [...modules].map((name) => keyOf(name));
    await this.work.query(
      `WITH r AS (DELETE FROM resources WHERE state_id = $1 AND key = ANY($2::uuid[])),
            m AS (DELETE FROM modules WHERE state_id = $1 AND key = ANY($3::uuid[]))
       DELETE FROM providers WHERE state_id = $1 AND name = ANY($4::text[])`,
      [stateId, addresses, names, [...providers]],
    );
    await this.writeAll(stateId, {
      resources: only(inventory.resources, resources),
      modules: only(inventory.modules, modules),
      providers: only(inventory.providers, providers),
    });
  }

  /** A piece at a time: of a large state the rows are many. */
  private async copy(target: string, rows: Iterable<Fields>): Promise<void> {
    const texts = pieces(rows);
    const { value: first } = texts.next();
    if (!first) return;
    const stream = (await this.work.client()).query(copyFrom(`COPY ${target} FROM STDIN`));
    stream.write(first);
    await pipeline(texts, stream);
  }

  async writeOutputs(stateId: string, outputs: readonly OutputRow[]): Promise<void> {
    await this.work.query('DELETE FROM outputs WHERE state_id = $1', [stateId]);
    await this.copy(
      'outputs (state_id, key, name, value, type, sensitive)',
      mapped(outputs, ({ name, value, type, sensitive }) => [
        stateId,
        keyOf(name),
        name,
        value,
        type,
        sensitive ? 't' : 'f',
      ]),
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

function only<T>(counts: ReadonlyMap<string, T>, names: ReadonlySet<string>): Map<string, T> {
  return new Map([...names].flatMap((name) => (counts.has(name) ? [[name, counts.get(name) as T]] : [])));
}

/** `undefined` is NULL. */
type Fields = readonly (string | number | undefined)[];

function* mapped<T>(values: Iterable<T>, fields: (value: T) => Fields): Generator<Fields> {
  for (const value of values) yield fields(value);
}

const PIECE = 64 * 1024;

/** Lines of COPY's text format. */
function* pieces(rows: Iterable<Fields>): Generator<string, undefined> {
  let text = '';
  for (const row of rows) {
    text += `${row.map(copyText).join('\t')}\n`;
    if (text.length < PIECE) continue;
    yield text;
    text = '';
  }
  if (text !== '') yield text;
}

function resourceFields(stateId: string, row: ResourceCount): Fields {
  const { address, mode, type, name, module, provider, instances } = row;
  return [stateId, keyOf(address), address, mode, type, name, module, provider, instances];
}

const ESCAPES: Record<string, string> = {
  '\\': '\\\\',
  '\t': '\\t',
  '\n': '\\n',
  '\r': '\\r',
  '\0': '\ufffd',
};

/** A field of COPY's text format. */
function copyText(value: string | number | undefined): string {
  return value === undefined
    ? '\\N'
    : String(value).replace(/[\\\t\n\r\0]/g, (char) => ESCAPES[char] ?? char);
}
