import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { fingerprintOf, type WantedFinding } from './finding-row.js';
import { rowBatches } from './row-batches.js';
import { type ActiveWaiver, matchingWaiver } from './waiver-match.rules.js';

/** The scan that writes, and what holds while it does. */
export interface WritingScan {
  readonly id: string;
  readonly tenantId: string;
  readonly at: Date;
  readonly waivers: readonly ActiveWaiver[];
}

/** An open finding as it stands. */
export interface OpenFinding {
  id: string;
  state_id: string;
  key: string;
  address: string;
  check_id: string;
  severity_base: number;
  severity: number;
  severity_reason: string | null;
  category: string;
  reachable: boolean | null;
  evidence: string | null;
  blast_resources: number;
  blast_modules: number;
  blast_states: number;
}

const ROWS_PER_STATEMENT = 2_000;
const ROWS_PER_FETCH = 5_000;
const MIN_ANALYZED_ROWS = 5_000;
const COLUMNS = `id, state_id, key, address, check_id, severity_base, severity, severity_reason, category,
  reachable, evidence, blast_resources, blast_modules, blast_states`;

/** Table `security_findings`. Writers hold the tenant's lock. Only rows that differ are written. */
@Injectable()
export class Findings {
  constructor(private readonly work: UnitOfWork) {}

  /** Open findings of some instances of a state. */
  async openOf(stateId: string, keys: readonly string[]): Promise<OpenFinding[]> {
    return this.work.query<OpenFinding>(
      `SELECT ${COLUMNS} FROM security_findings WHERE state_id = $1 AND key = ANY($2::uuid[]) AND resolved_at IS NULL`,
      [stateId, keys],
    );
  }

  /** Open findings of a state as they are now, in parts. */
  async *allOpenOf(stateId: string): AsyncGenerator<OpenFinding[]> {
    yield* rowBatches<OpenFinding>(this.work, {
      sql: `SELECT ${COLUMNS} FROM security_findings WHERE state_id = $1 AND resolved_at IS NULL`,
      values: [stateId],
      size: ROWS_PER_FETCH,
    });
  }

  /** Makes the open findings of some instances of one state what they ought to be. Answers how many are new. */
  async replace(
    scan: WritingScan,
    known: readonly OpenFinding[],
    wanted: readonly WantedFinding[],
  ): Promise<number> {
    const open = new Map(known.map((row) => [placeOf(row.check_id, row.key), row]));
    const added: WantedFinding[] = [];
    const changed: { id: string; finding: WantedFinding }[] = [];
    for (const finding of wanted) {
      const place = placeOf(finding.checkId, finding.key);
      const row = open.get(place);
      open.delete(place);
      if (row === undefined) added.push(finding);
      else if (differs(row, finding)) changed.push({ id: row.id, finding });
    }
    await this.resolve(
      scan,
      [...open.values()].map(({ id }) => id),
    );
    await this.update(scan, changed);
    await this.insert(scan, added);
    return added.length;
  }

  /**
   * Tells PostgreSQL, after the commit, of a scan that found much. Until autovacuum does, pages of findings would be sorted
   * out of all of them.
   */
  analyzeAfterCommit(rows: number): void {
    if (rows < MIN_ANALYZED_ROWS) return;
    this.work.afterCommit(async () => {
      await this.work.query('ANALYZE security_findings, security_counts, security_days, security_reach');
    });
  }

  async resolve(scan: WritingScan, ids: readonly string[]): Promise<void> {
    for (const part of partsOf(ids))
      await this.work.query(
        'UPDATE security_findings SET resolved_at = $2, resolved_scan_id = $3, scan_id = $3 WHERE id = ANY($1::uuid[])',
        [part, scan.at, scan.id],
      );
  }

  /** Findings of instances of the state that are gone, and of all checks that are gone. */
  async resolveGone(scan: WritingScan, stateId: string, keys: readonly string[] | undefined): Promise<void> {
    if (keys?.length === 0) return;
    await this.work.query(
      `UPDATE security_findings f SET resolved_at = $2, resolved_scan_id = $3, scan_id = $3
       WHERE f.state_id = $1 AND f.resolved_at IS NULL AND ($4::uuid[] IS NULL OR f.key = ANY($4::uuid[]))
         AND NOT EXISTS (SELECT FROM instances i WHERE i.state_id = f.state_id AND i.key = f.key)`,
      [stateId, scan.at, scan.id, keys ?? null],
    );
  }

  /** Severities and what they come from. */
  async update(scan: WritingScan, changed: readonly { id: string; finding: WantedFinding }[]): Promise<void> {
    for (const part of partsOf(changed)) {
      const of = <T>(value: (finding: WantedFinding) => T): T[] => part.map(({ finding }) => value(finding));
      await this.work.query(
        `UPDATE security_findings f SET severity_base = w.base, severity = w.severity, severity_reason = w.reason,
           category = w.category, reachable = w.reachable, evidence = w.evidence, blast_resources = w.resources,
           blast_modules = w.modules, blast_states = w.states, scan_id = $1
         FROM unnest($2::uuid[], $3::smallint[], $4::smallint[], $5::text[], $6::text[], $7::boolean[], $8::text[],
           $9::integer[], $10::integer[], $11::integer[])
           AS w (id, base, severity, reason, category, reachable, evidence, resources, modules, states)
         WHERE f.id = w.id`,
        [
          scan.id,
          part.map(({ id }) => id),
          of(({ severityBase }) => severityBase),
          of(({ severity }) => severity),
          of(({ severityReason }) => severityReason),
          of(({ category }) => category),
          of(({ reachable }) => reachable),
          of(({ evidence }) => evidence),
          of(({ blast }) => blast.resources),
          of(({ blast }) => blast.modules),
          of(({ blast }) => blast.otherStates),
        ],
      );
    }
  }

  private async insert(scan: WritingScan, added: readonly WantedFinding[]): Promise<void> {
    for (const part of partsOf(added)) {
      const of = <T>(value: (finding: WantedFinding) => T): T[] => part.map(value);
      const waivers = part.map((finding) => matchingWaiver(scan.waivers, finding));
      await this.work.query(
        `INSERT INTO security_findings (tenant_id, scan_id, first_seen_scan_id, first_seen_at, state_id, key, check_id, address,
           fingerprint, severity_base, severity, severity_reason, category, reachable, evidence, blast_resources, blast_modules,
           blast_states, waiver_id, waived_until)
         SELECT $1, $2, $2, $3, * FROM unnest($4::uuid[], $5::uuid[], $6::text[], $7::text[], $8::text[], $9::smallint[],
           $10::smallint[], $11::text[], $12::text[], $13::boolean[], $14::text[], $15::integer[], $16::integer[],
           $17::integer[], $18::uuid[], $19::timestamptz[])`,
        [
          scan.tenantId,
          scan.id,
          scan.at,
          of(({ stateId }) => stateId),
          of(({ key }) => key),
          of(({ checkId }) => checkId),
          of(({ address }) => address),
          of(({ checkId, address }) => fingerprintOf(checkId, address)),
          of(({ severityBase }) => severityBase),
          of(({ severity }) => severity),
          of(({ severityReason }) => severityReason),
          of(({ category }) => category),
          of(({ reachable }) => reachable),
          of(({ evidence }) => evidence),
          of(({ blast }) => blast.resources),
          of(({ blast }) => blast.modules),
          of(({ blast }) => blast.otherStates),
          waivers.map((waiver) => waiver?.id ?? null),
          waivers.map((waiver) =>
            waiver === undefined ? '-infinity' : (waiver.expiresAt?.toISOString() ?? 'infinity'),
          ),
        ],
      );
    }
  }
}

/** What tells the findings of a state apart: an address is that of one key. */
function placeOf(checkId: string, key: string): string {
  return `${checkId} ${key}`;
}

function* partsOf<T>(items: readonly T[]): Generator<T[]> {
  for (let at = 0; at < items.length; at += ROWS_PER_STATEMENT)
    yield items.slice(at, at + ROWS_PER_STATEMENT);
}

export function differs(row: OpenFinding, wanted: WantedFinding): boolean {
  return (
    row.severity_base !== wanted.severityBase ||
    row.severity !== wanted.severity ||
    row.severity_reason !== wanted.severityReason ||
    row.category !== wanted.category ||
    row.reachable !== wanted.reachable ||
    row.evidence !== wanted.evidence ||
    row.blast_resources !== wanted.blast.resources ||
    row.blast_modules !== wanted.blast.modules ||
    row.blast_states !== wanted.blast.otherStates
  );
}
