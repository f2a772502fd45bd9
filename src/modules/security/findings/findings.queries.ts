import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { httpErrors } from '../../../platform/errors/index.js';
import { decodePageToken, encodePageToken } from '../../../platform/http/index.js';
import type { FindingFilter, FindingPlace } from './finding-filter.rules.js';
import { isUuid } from '../../../platform/text/uuid.js';

/** A finding as lists read it, with its state and waiver. */
export interface FindingRow {
  id: string;
  state_id: string;
  state_name: string;
  workspace: string;
  check_id: string;
  address: string;
  fingerprint: string;
  category: string;
  severity_base: number;
  severity: number;
  severity_reason: string | null;
  reachable: boolean | null;
  evidence: string | null;
  blast_resources: number;
  blast_modules: number;
  blast_states: number;
  first_seen_scan_id: string | null;
  first_seen_at: Date | null;
  resolved_scan_id: string | null;
  resolved_at: Date | null;
  suppressed: boolean;
  waiver_id: string | null;
  waiver_reason: string | null;
  waiver_expires_at: Date | null;
  waiver_author: string | null;
}

export interface FindingPage {
  rows: FindingRow[];
  next: string | undefined;
}

const COLUMNS = `f.id, f.state_id, s.name AS state_name, s.workspace, f.check_id, f.address, f.fingerprint, f.category,
  f.severity_base, f.severity, f.severity_reason, f.reachable, f.evidence, f.blast_resources, f.blast_modules, f.blast_states,
  f.first_seen_scan_id, f.first_seen_at, f.resolved_scan_id, f.resolved_at,
  f.resolved_at IS NULL AND f.waived_until > now() AS suppressed, f.waiver_id, w.reason AS waiver_reason,
  w.expires_at AS waiver_expires_at, w.created_by_name AS waiver_author`;
const ORDER = 'f.severity DESC, f.address, f.check_id, f.id';
const STATUS = {
  open: 'f.resolved_at IS NULL AND f.waived_until <= now()',
  suppressed: 'f.resolved_at IS NULL AND f.waived_until > now()',
  resolved: 'f.resolved_at IS NOT NULL',
  all: 'true',
} as const;

/** Reads findings for responses. */
@Injectable()
export class FindingQueries {
  constructor(private readonly work: UnitOfWork) {}

  /** Everything inside sees the database as it was at its first statement: findings belong to the scan beside them. */
  async inOneSnapshot<T>(task: () => Promise<T>): Promise<T> {
    return this.work.run(async () => {
      await this.work.query('SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY');
      return task();
    });
  }

  /** By effective severity, then address in byte order, then check. */
  async list(
    place: FindingPlace,
    filter: FindingFilter,
    at: { limit: number; page: string | undefined },
  ): Promise<FindingPage> {
    const values: unknown[] = [];
    const bind = (value: unknown): string => `$${values.push(value)}`;
    const conditions = conditionsOf(place, filter, bind).join(' AND ');
    const limit = bind(at.limit + 1);
    const part = (more: string): string =>
      `(SELECT * FROM security_findings f WHERE ${conditions}${more} ORDER BY ${ORDER} LIMIT ${limit})`;
    const parts = at.page === undefined ? part('') : partsAfter(at.page, bind).map(part).join(' UNION ALL ');
    const rows = await this.work.query<FindingRow>(
      `SELECT ${COLUMNS} FROM (SELECT * FROM (${parts}) f ORDER BY ${ORDER} LIMIT ${limit}) f
       JOIN states s ON s.id = f.state_id LEFT JOIN security_waivers w ON w.id = f.waiver_id ORDER BY ${ORDER}`,
      values,
    );
    const shown = rows.slice(0, at.limit);
    const last = shown.at(-1);
    return {
      rows: shown,
      next:
        rows.length > at.limit && last
          ? encodePageToken([last.severity, last.address, last.check_id, last.id])
          : undefined,
    };
  }

  /** Open and suppressed findings are counted already; others are counted now. */
  async count(place: FindingPlace, filter: FindingFilter): Promise<number> {
    const values: unknown[] = [];
    const bind = (value: unknown): string => `$${values.push(value)}`;
    const isCounted = filter.status === 'open' || filter.status === 'suppressed';
    const conditions = isCounted ? countConditionsOf(place, filter, bind) : conditionsOf(place, filter, bind);
    const from = isCounted
      ? 'coalesce(sum(count), 0)::int AS n FROM security_counts'
      : 'count(*)::int AS n FROM security_findings';
    const [row] = await this.work.query<{ n: number }>(
      `SELECT ${from} f WHERE ${conditions.join(' AND ')}`,
      values,
    );
    return row?.n ?? 0;
  }

  /** Findings that these scans saw first, or resolved; waived ones are left out. */
  async changedBy(
    scanIds: readonly string[],
    column: 'first_seen_scan_id' | 'resolved_scan_id',
  ): Promise<(FindingRow & { key: string })[]> {
    return this.work.query(
      `SELECT ${COLUMNS}, f.key FROM security_findings f JOIN states s ON s.id = f.state_id
         LEFT JOIN security_waivers w ON w.id = f.waiver_id
       WHERE f.${column} = ANY($1::uuid[]) AND f.waived_until <= now() ORDER BY ${ORDER}`,
      [scanIds],
    );
  }
}

function conditionsOf(
  place: FindingPlace,
  filter: FindingFilter,
  bind: (value: unknown) => string,
): string[] {
  const conditions = [...placeConditionsOf(place, filter, bind), STATUS[filter.status]];
  if (filter.reachable === true) conditions.push('f.reachable');
  if (filter.reachable === false) conditions.push('f.reachable IS NOT TRUE');
  return conditions;
}

function countConditionsOf(
  place: FindingPlace,
  filter: FindingFilter,
  bind: (value: unknown) => string,
): string[] {
  const conditions = placeConditionsOf(place, filter, bind);
  conditions.push(filter.status === 'open' ? 'f.waived_until <= now()' : 'f.waived_until > now()');
  if (filter.reachable !== undefined) conditions.push(`f.reachable = ${bind(filter.reachable)}`);
  return conditions;
}

function placeConditionsOf(
  place: FindingPlace,
  filter: FindingFilter,
  bind: (value: unknown) => string,
): string[] {
  const conditions = [
    'stateId' in place ? `f.state_id = ${bind(place.stateId)}` : `f.tenant_id = ${bind(place.tenantId)}`,
  ];
  if (filter.stateId !== undefined) conditions.push(`f.state_id = ${bind(filter.stateId)}`);
  if (filter.checkId !== undefined) conditions.push(`f.check_id = ${bind(filter.checkId)}`);
  if (filter.severities !== undefined)
    conditions.push(`f.severity = ANY(${bind(filter.severities)}::smallint[])`);
  return conditions;
}

/** Conditions of what follows a row: the rest of its severity, and lower ones. Each is one range of the index. */
function partsAfter(page: string, bind: (value: unknown) => string): string[] {
  const [severity, address, checkId, id] = positionOf(page);
  const rank = `${bind(severity)}::smallint`;
  return [
    ` AND f.severity = ${rank} AND (f.address, f.check_id, f.id) > (${bind(address)}::text COLLATE "C", ${bind(checkId)}::text COLLATE "C", ${bind(id)}::uuid)`,
    ` AND f.severity < ${rank}`,
  ];
}

function positionOf(page: string): [number, string, string, string] {
  const [severity, address, checkId, id] = decodePageToken(page, 4);
  if (
    typeof severity === 'number' &&
    Number.isInteger(severity) &&
    Math.abs(severity) < 10 &&
    typeof address === 'string' &&
    typeof checkId === 'string' &&
    typeof id === 'string' &&
    isUuid(id)
  )
    return [severity, address, checkId, id];
  throw httpErrors.INVALID_REQUEST('page is not a page token of this list');
}
