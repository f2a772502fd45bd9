import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { copiedText, copyLine, copyText, type Field } from '../../../platform/database/text-copy.js';
import { isUniqueViolation } from '../../../platform/database/unique-violation.js';
import { lookupIdsOf } from '../../cloud-ids/index.js';
import type { CloudResource, ScanPosition } from '../clouds/cloud-inventory.js';
import { type CloudOf, GapScansStore, type ScanAttempt } from './gap-scans.store.js';
import { canImport } from '../targets/import-mapping.rules.js';
import { phantomRuleOf } from './phantom.rules.js';

const TABLE = `gap_inventory (tenant_id, inventory_id, provider, service, resource_type, id, lookup_id, other_ids,
  name, region, account, tags, attributes, phantom, supported)`;

const MIN_ANALYZED_ROWS = 10_000;

/** Places of the columns in a line. */
const [KEY_BEGIN, KEY_END, LOOKUP_ID] = [3, 6, 6];

/** Table `gap_inventory`. */
@Injectable()
export class GapInventoryStore {
  constructor(
    private readonly work: UnitOfWork,
    private readonly scans: GapScansStore,
  ) {}

  /**
   * Adds lines of `inventoryLines`, and says what follows them; a resource that is there already stays as it is. False when
   * the attempt is no longer the scan's.
   */
  async insert(attempt: ScanAttempt, text: readonly Buffer[], position: ScanPosition): Promise<boolean> {
    try {
      return await this.copy(attempt, text, position);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
    }
    // Two listings have a resource in common, which is rare: COPY cannot skip rows, so leave out what is there.
    const lines = text.flatMap((part) => part.toString().split('\n').slice(0, -1));
    const unique = new Map(lines.map((line) => [keyOf(line), line]));
    const lookups = [...unique.values()].map((line) => copiedText(line.split('\t')[LOOKUP_ID] ?? ''));
    for (const key of await this.storedKeys(attempt, lookups)) unique.delete(key);
    const rest = Buffer.from([...unique.values()].map((line) => `${line}\n`).join(''));
    return this.copy(attempt, [rest], position);
  }

  private async copy(
    attempt: ScanAttempt,
    text: readonly Buffer[],
    position: ScanPosition,
  ): Promise<boolean> {
    return this.work.run(async () => {
      if (!(await this.scans.advance(attempt, position))) return false;
      await copyText(this.work, TABLE, text);
      return true;
    });
  }

  private async storedKeys(
    { tenantId, collectingId, provider }: ScanAttempt,
    lookups: readonly string[],
  ): Promise<string[]> {
    const found = await this.work.query<{ service: string; resource_type: string; id: string }>(
      `SELECT service, resource_type, id FROM gap_inventory
       WHERE tenant_id = $1 AND inventory_id = $2 AND lookup_id = ANY($3::text[])`,
      [tenantId, collectingId, [...new Set(lookups)]],
    );
    return found.map(({ service, resource_type, id }) =>
      keyOf(copyLine([tenantId, collectingId, provider, service, resource_type, id, '']).slice(0, -1)),
    );
  }

  /** Marks resources that the cloud turned out to have made. */
  async markPhantoms(attempt: ScanAttempt, ids: readonly string[], rule: string): Promise<void> {
    if (ids.length === 0) return;
    await this.work.query(
      `UPDATE gap_inventory SET phantom = $4
       WHERE tenant_id = $1 AND inventory_id = $2 AND service IN ('ec2', 'kms') AND id = ANY($3::text[])`,
      [attempt.tenantId, attempt.collectingId, ids, rule],
    );
  }

  async count({ tenantId, collectingId }: ScanAttempt): Promise<number> {
    const [row] = await this.work.query<{ count: number }>(
      'SELECT count(*)::int AS count FROM gap_inventory WHERE tenant_id = $1 AND inventory_id = $2',
      [tenantId, collectingId],
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

/**
 * Rows of resources as COPY takes them, with what the rules of matching, phantoms and imports say of them. Bytes, because
 * they live longer than a page: texts would fill the heap.
 */
export function inventoryLines(attempt: ScanAttempt, resources: readonly CloudResource[]): Buffer {
  return Buffer.from(resources.map((resource) => copyLine(rowOf(attempt, resource))).join(''));
}

function rowOf({ tenantId, collectingId, provider }: ScanAttempt, resource: CloudResource): Field[] {
  const { id, service, resourceType, region, account, attributes, tags } = resource;
  const lookups = [
    ...new Set([id, ...(resource.aliases ?? [])].flatMap((name) => lookupIdsOf(provider, name))),
  ];
  const [lookup = id, ...others] = lookups;
  return [
    ...[tenantId, collectingId, provider],
    ...[service, resourceType, id, lookup],
    others.length === 0 ? null : arrayLiteral(others),
    ...[resource.name, region, account],
    tags && JSON.stringify(tags),
    attributes && JSON.stringify(attributes),
    phantomRuleOf(provider, resource),
    canImport(provider, { id, resourceType, region, account, attributes }),
  ];
}

/** What tells a line from others of its inventory. */
function keyOf(line: string): string {
  return line.split('\t').slice(KEY_BEGIN, KEY_END).join('\t');
}

/** A `text[]` as PostgreSQL writes it. */
function arrayLiteral(texts: readonly string[]): string {
  return `{${texts.map((text) => `"${text.replace(/["\\]/g, '\\$&')}"`).join(',')}}`;
}
