import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { copyRows, type Field } from '../../platform/database/text-copy.js';
import { isUniqueViolation } from '../../platform/database/unique-violation.js';
import { type CloudProvider, lookupIdsOf } from '../cloud-ids/index.js';
import type { CloudResource } from './cloud-inventory.js';
import { type CloudOf, GapScansStore, type ScanAttempt } from './gap-scans.store.js';
import { mapImport } from './import-mapping.rules.js';
import { phantomRuleOf } from './phantom.rules.js';

const TABLE = `gap_inventory (tenant_id, inventory_id, provider, service, resource_type, id, lookup_id, other_ids,
  name, region, account, tags, attributes, phantom, supported)`;

const MIN_ANALYZED_ROWS = 10_000;

/** A row to be stored, and the values that tell it from others of its inventory. */
export interface InventoryRow {
  key: string;
  lookupId: string;
  fields: readonly Field[];
}

/** Table `gap_inventory`. */
@Injectable()
export class GapInventoryStore {
  constructor(
    private readonly work: UnitOfWork,
    private readonly scans: GapScansStore,
  ) {}

  /** Adds rows; a resource that is there already stays as it is. False when the attempt is no longer the scan's. */
  async insert(attempt: ScanAttempt, rows: readonly InventoryRow[]): Promise<boolean> {
    const unique = new Map(rows.map((row) => [row.key, row]));
    try {
      return await this.copy(attempt, [...unique.values()]);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    // Two listings have a resource in common, which is rare: COPY cannot skip rows, so leave out what is there.
    for (const key of await this.storedKeys(attempt, [...unique.values()])) unique.delete(key);
    return this.copy(attempt, [...unique.values()]);
  }

  private async copy(attempt: ScanAttempt, rows: readonly InventoryRow[]): Promise<boolean> {
    return this.work.run(async () => {
      if (!(await this.scans.lockAttempt(attempt))) return false;
      const { tenantId, attemptId, provider } = attempt;
      await copyRows(
        this.work,
        TABLE,
        rows.map(({ fields }) => [tenantId, attemptId, provider, ...fields]),
      );
      return true;
    });
  }

  private async storedKeys(
    { tenantId, attemptId }: ScanAttempt,
    rows: readonly InventoryRow[],
  ): Promise<string[]> {
    const found = await this.work.query<{ service: string; resource_type: string; id: string }>(
      `SELECT service, resource_type, id FROM gap_inventory
       WHERE tenant_id = $1 AND inventory_id = $2 AND lookup_id = ANY($3::text[])`,
      [tenantId, attemptId, [...new Set(rows.map(({ lookupId }) => lookupId))]],
    );
    return found.map(({ service, resource_type, id }) => keyOf(service, resource_type, id));
  }

  /** Marks resources that the cloud turned out to have made. */
  async markPhantoms(attempt: ScanAttempt, ids: readonly string[], rule: string): Promise<void> {
    if (ids.length === 0) return;
    await this.work.query(
      `UPDATE gap_inventory SET phantom = $4
       WHERE tenant_id = $1 AND inventory_id = $2 AND service IN ('ec2', 'kms') AND id = ANY($3::text[])`,
      [attempt.tenantId, attempt.attemptId, ids, rule],
    );
  }

  async count({ tenantId, attemptId }: ScanAttempt): Promise<number> {
    const [row] = await this.work.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM gap_inventory WHERE tenant_id = $1 AND inventory_id = $2',
      [tenantId, attemptId],
    );
    return row?.count ?? 0;
  }

  /** Tells PostgreSQL of a large inventory; it would compare it row by row for a while otherwise. */
  async analyze(rows: number): Promise<void> {
    if (rows >= MIN_ANALYZED_ROWS) await this.work.query('ANALYZE gap_inventory');
  }

  /** What the inventory tells of these resources besides their ids. */
  async attributesOf(
    { tenantId, provider }: CloudOf,
    ids: readonly string[],
  ): Promise<Map<string, Record<string, string>>> {
    const rows = await this.work.query<{ id: string; attributes: Record<string, string> }>(
      `SELECT i.id, i.attributes FROM gap_scans s JOIN gap_inventory i ON i.tenant_id = s.tenant_id AND i.inventory_id = s.inventory_id
       WHERE s.tenant_id = $1 AND s.provider = $2 AND i.attributes IS NOT NULL AND lower(i.id) = ANY($3::text[])`,
      [tenantId, provider, ids.map((id) => id.toLowerCase())],
    );
    return new Map(rows.map(({ id, attributes }) => [id.toLowerCase(), attributes]));
  }
}

/** The row of a resource, with what the rules of matching, phantoms and imports say of it. */
export function inventoryRow(provider: CloudProvider, resource: CloudResource): InventoryRow {
  const { id, service, resourceType, region, account, attributes, tags } = resource;
  const lookups = [
    ...new Set([id, ...(resource.aliases ?? [])].flatMap((name) => lookupIdsOf(provider, name))),
  ];
  const [lookup = id, ...others] = lookups;
  const mapping = mapImport(provider, { id, resourceType, region, account, attributes });
  return {
    key: keyOf(service, resourceType, id),
    lookupId: lookup,
    fields: [
      ...[service, resourceType, id, lookup],
      others.length === 0 ? null : arrayLiteral(others),
      ...[resource.name, region, account],
      tags && JSON.stringify(tags),
      attributes && JSON.stringify(attributes),
      phantomRuleOf(provider, resource),
      'target' in mapping,
    ],
  };
}

function keyOf(service: string, resourceType: string, id: string): string {
  return `${service}\0${resourceType}\0${id}`;
}

/** A `text[]` as PostgreSQL writes it. */
function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
