import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { ImpactEntity } from '../entities/scan.entities.js';
import { fingerprintOf, type WantedFinding } from '../findings/finding-row.js';
import type { FindingRow } from '../findings/findings.queries.js';

export interface PlannedSource {
  file: string | null;
  start_line: number | null;
  end_line: number | null;
}

/** A planned finding as the impact shows it. */
export type PlannedRow = FindingRow & { effect: 'added' | 'resolved'; scan_id: string } & {
  source_file: string | null;
  source_start_line: number | null;
  source_end_line: number | null;
};

/** Tables `security_impacts` and `security_planned_findings`. */
@Injectable()
export class PlannedImpacts {
  constructor(private readonly work: UnitOfWork) {}

  /** In the transaction of the preview: what an older plan would do is forgotten. */
  async begin({
    txId,
    tenantId,
    attempt,
  }: {
    txId: string;
    tenantId: string;
    attempt: string;
  }): Promise<void> {
    await this.delete([txId]);
    await this.work.manager.insert(ImpactEntity, {
      txId,
      tenantId,
      attempt,
      status: 'computing',
      computedAt: null,
    });
  }

  /** As arrays: a scan may cover more transactions than a statement takes parameters. */
  async delete(txIds: readonly string[]): Promise<void> {
    await this.work.query('DELETE FROM security_impacts WHERE tx_id = ANY($1::uuid[])', [txIds]);
    await this.work.query(`DELETE FROM security_scans WHERE tx_id = ANY($1::uuid[]) AND kind = 'planned'`, [
      txIds,
    ]);
  }

  async find(txId: string): Promise<ImpactEntity | null> {
    return this.work.manager.findOneBy(ImpactEntity, { txId });
  }

  /** Only while the plan that was scanned is the newest one. */
  async lock(txId: string, attempt: string): Promise<ImpactEntity | undefined> {
    const [row] = await this.work.query<ImpactEntity>(
      `SELECT tx_id AS "txId", tenant_id AS "tenantId", status, attempt, computed_at AS "computedAt" FROM security_impacts
       WHERE tx_id = $1 AND attempt = $2 AND status = 'computing' FOR UPDATE`,
      [txId, attempt],
    );
    return row;
  }

  async complete(txId: string, at: Date): Promise<void> {
    await this.work.manager.update(ImpactEntity, { txId }, { status: 'completed', computedAt: at });
  }

  async fail(txId: string, attempt: string): Promise<void> {
    await this.work.manager.update(ImpactEntity, { txId, attempt }, { status: 'failed' });
  }

  async computing(): Promise<{ txId: string; attempt: string }[]> {
    return this.work.query(
      `SELECT i.tx_id AS "txId", i.attempt FROM security_impacts i WHERE i.status = 'computing' LIMIT 100`,
    );
  }

  /** The plan and the one state that it is for. */
  async planOf(txId: string): Promise<{ planJson: unknown; stateId: string } | undefined> {
    const [row] = await this.work.query<{ planJson: unknown; stateId: string }>(
      `SELECT p.plan_json AS "planJson", s.state_id AS "stateId" FROM transaction_plans p
       JOIN transaction_states s ON s.tx_id = p.tx_id WHERE p.tx_id = $1 ORDER BY s.state_id LIMIT 1`,
      [txId],
    );
    return row;
  }

  /** Where the transaction's own log sets the blocks, by node id. */
  async sourcesOf(txId: string, nodeIds: readonly string[]): Promise<Map<string, PlannedSource>> {
    const rows = await this.work.query<PlannedSource & { node_id: string }>(
      `SELECT DISTINCT ON (node_id) node_id, data ->> 'file' AS file,
         CASE WHEN data ->> 'start_line' ~ '^[0-9]{1,9}$' THEN (data ->> 'start_line')::int END AS start_line,
         CASE WHEN data ->> 'end_line' ~ '^[0-9]{1,9}$' THEN (data ->> 'end_line')::int END AS end_line
       FROM transaction_logs WHERE tx_id = $1 AND object_type = 'hcl' AND node_id = ANY($2::text[]) ORDER BY node_id, seq DESC`,
      [txId, nodeIds],
    );
    return new Map(rows.map(({ node_id: id, ...source }) => [id, source]));
  }

  async insert(
    of: { txId: string; scanId: string; tenantId: string; effect: 'added' | 'resolved' },
    findings: readonly { finding: WantedFinding; source: PlannedSource | undefined }[],
  ): Promise<void> {
    const column = <T>(value: (finding: WantedFinding) => T): T[] =>
      findings.map(({ finding }) => value(finding));
    await this.work.query(
      `INSERT INTO security_planned_findings (tx_id, scan_id, tenant_id, effect, state_id, key, check_id, address, fingerprint,
         severity_base, severity, severity_reason, category, reachable, evidence, blast_resources, blast_modules, blast_states,
         source_file, source_start_line, source_end_line)
       SELECT $1, $2, $3, $4, * FROM unnest($5::uuid[], $6::uuid[], $7::text[], $8::text[], $9::text[], $10::smallint[],
         $11::smallint[], $12::text[], $13::text[], $14::boolean[], $15::text[], $16::integer[], $17::integer[], $18::integer[],
         $19::text[], $20::integer[], $21::integer[])`,
      [
        of.txId,
        of.scanId,
        of.tenantId,
        of.effect,
        column(({ stateId }) => stateId),
        column(({ key }) => key),
        column(({ checkId }) => checkId),
        column(({ address }) => address),
        column(({ checkId, address }) => fingerprintOf(checkId, address)),
        column(({ severityBase }) => severityBase),
        column(({ severity }) => severity),
        column(({ severityReason }) => severityReason),
        column(({ category }) => category),
        column(({ reachable }) => reachable),
        column(({ evidence }) => evidence),
        column(({ blast }) => blast.resources),
        column(({ blast }) => blast.modules),
        column(({ blast }) => blast.otherStates),
        findings.map(({ source }) => source?.file ?? null),
        findings.map(({ source }) => source?.start_line ?? null),
        findings.map(({ source }) => source?.end_line ?? null),
      ],
    );
  }

  /** Both lists in the order of findings. */
  async rows(txId: string): Promise<PlannedRow[]> {
    return this.work.query<PlannedRow>(
      `SELECT f.effect, f.scan_id, f.id, f.state_id, s.name AS state_name, s.workspace, f.check_id, f.address, f.fingerprint, f.category,
         f.severity_base, f.severity, f.severity_reason, f.reachable, f.evidence, f.blast_resources, f.blast_modules, f.blast_states,
         f.source_file, f.source_start_line, f.source_end_line, NULL AS first_seen_scan_id, NULL AS first_seen_at,
         NULL AS resolved_scan_id, NULL AS resolved_at, false AS suppressed, NULL AS waiver_id, NULL AS waiver_reason,
         NULL AS waiver_expires_at, NULL AS waiver_author
       FROM security_planned_findings f JOIN states s ON s.id = f.state_id WHERE f.tx_id = $1
       ORDER BY f.severity DESC, f.address, f.check_id, f.id`,
      [txId],
    );
  }
}
