import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../platform/database/index.js';
import { lookupIdsOf } from '../cloud-ids/index.js';
import type { CloudResource } from './cloud-inventory.js';
import { type CloudOf, GapScansStore, type ScanAttempt } from './gap-scans.store.js';
import { mapImport } from './import-mapping.rules.js';
import { phantomRuleOf } from './phantom.rules.js';

const COLUMNS = [
  ...[
    ['service', 'text'],
    ['resource_type', 'text'],
    ['id', 'text'],
    ['lookup_id', 'text'],
    ['other_ids', 'json'],
  ],
  ...[
    ['name', 'text'],
    ['region', 'text'],
    ['account', 'text'],
    ['tags', 'jsonb'],
    ['attributes', 'jsonb'],
  ],
  ...[
    ['phantom', 'text'],
    ['supported', 'boolean'],
  ],
] as const;
const NAMES = COLUMNS.map(([name]) => name).join(', ');
const VALUES = COLUMNS.map(([name, type]) =>
  type === 'json'
    ? `(SELECT array_agg(value) FROM jsonb_array_elements_text(r.${name}::jsonb))`
    : `r.${name}::${type}`,
).join(', ');
const ARRAYS = COLUMNS.map((_, at) => `$${at + 4}::text[]`).join(', ');

/** Table `gap_inventory`. */
@Injectable()
export class GapInventoryStore {
  constructor(
    private readonly work: UnitOfWork,
    private readonly scans: GapScansStore,
  ) {}

  /** Adds a page; a resource that is there already stays as it is. False when the attempt is no longer the scan's. */
  async insert(attempt: ScanAttempt, resources: readonly CloudResource[]): Promise<boolean> {
    const rows = resources.map((resource) => rowOf(attempt, resource));
    return this.work.run(async () => {
      if (!(await this.scans.lockAttempt(attempt))) return false;
      if (rows.length > 0)
        await this.work.query(
          `INSERT INTO gap_inventory (tenant_id, inventory_id, provider, ${NAMES})
           SELECT $1, $2, $3, ${VALUES} FROM unnest(${ARRAYS}) AS r (${NAMES}) ON CONFLICT DO NOTHING`,
          [
            attempt.tenantId,
            attempt.attemptId,
            attempt.provider,
            ...COLUMNS.map((_, at) => rows.map((row) => row[at])),
          ],
        );
      return true;
    });
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

function rowOf({ provider }: ScanAttempt, resource: CloudResource): (string | null)[] {
  const { id, service, resourceType, region, account, attributes, tags } = resource;
  const lookups = [
    ...new Set([id, ...(resource.aliases ?? [])].flatMap((name) => lookupIdsOf(provider, name))),
  ];
  const [lookup = id, ...others] = lookups;
  const mapping = mapImport(provider, { id, resourceType, region, account, attributes });
  return [
    ...[service, resourceType, id, lookup],
    others.length === 0 ? null : JSON.stringify(others),
    ...[resource.name ?? null, region ?? null, account ?? null],
    tags === undefined ? null : JSON.stringify(tags),
    attributes === undefined ? null : JSON.stringify(attributes),
    phantomRuleOf(provider, resource) ?? null,
    String('target' in mapping),
  ];
}
