import { Injectable } from '@nestjs/common';
import { UnitOfWork } from '../../../platform/database/index.js';
import { transactionErrors } from '../../transactions/index.js';
import type { FindingView } from '../dto/security.dto.js';
import type { ImpactSummaryView, ImpactView } from '../dto/impact.dto.js';
import { CheckSets } from '../findings/check-sets.js';
import { FindingLists } from '../findings/finding-lists.service.js';
import { toFindingView } from '../findings/finding.view.js';
import { FindingQueries, type FindingRow } from '../findings/findings.queries.js';
import { emptyBreakdown } from '../findings/scans.store.js';
import { matchingWaiver } from '../findings/waiver-match.rules.js';
import { Waivers } from '../waivers/waivers.store.js';
import { type PlannedRow, PlannedImpacts } from './planned-impacts.store.js';

interface TransactionRow {
  tenantId: string;
  state: string;
}

interface CoveringScan {
  scanId: string;
  stateId: string;
  scannedAt: Date;
  /** transactions that the scan covers */
  transactions: number;
}

/** Of states that a transaction wrote: the scans that cover it, and how many states wait for one. */
interface Coverage {
  scans: CoveringScan[];
  written: number;
}

/** What a transaction adds and resolves: by its plan, and once its commit was scanned, by that. */
@Injectable()
export class Impacts {
  constructor(
    private readonly work: UnitOfWork,
    private readonly planned: PlannedImpacts,
    private readonly checks: CheckSets,
    private readonly queries: FindingQueries,
    private readonly lists: FindingLists,
    private readonly waivers: Waivers,
  ) {}

  /** Undefined: it is not computed yet. */
  async findImpact(txId: string): Promise<ImpactView | undefined> {
    const tx = await this.transaction(txId);
    const plan = await this.planned.find(txId);
    if (tx.state === 'committed' || (tx.state === 'failed-committed' && plan === null)) {
      const coverage = await this.coverage(txId);
      const scanned = new Set(coverage.scans.map(({ stateId }) => stateId)).size;
      const isCovered = scanned >= coverage.written;
      if (isCovered && (coverage.written > 0 || plan === null)) return this.committed(txId, tx, coverage);
    }
    return plan?.status === 'completed' ? this.ofPlan(txId, tx, plan.computedAt ?? new Date(0)) : undefined;
  }

  async summary(txId: string): Promise<ImpactSummaryView | undefined> {
    const impact = await this.findImpact(txId);
    if (impact === undefined) return undefined;
    const { findings_added: added, findings_resolved: resolved, ...rest } = impact;
    return { ...rest, added_by_severity: breakdown(added), resolved_by_severity: breakdown(resolved) };
  }

  private async transaction(txId: string): Promise<TransactionRow> {
    const [row] = await this.work.query<TransactionRow>(
      'SELECT tenant_id AS "tenantId", state FROM transactions WHERE id = $1',
      [txId],
    );
    if (!row || row.state === 'aborted' || row.state === 'failed') throw transactionErrors.TX_NOT_FOUND();
    return row;
  }

  private async coverage(txId: string): Promise<Coverage> {
    const scans = await this.work.query<CoveringScan>(
      `SELECT c.id AS "scanId", c.state_id AS "stateId", c.scanned_at AS "scannedAt",
         (SELECT count(*)::int FROM security_scan_transactions o WHERE o.scan_id = c.id) AS transactions
       FROM security_scan_transactions t JOIN security_scans c ON c.id = t.scan_id WHERE t.tx_id = $1`,
      [txId],
    );
    const [row] = await this.work.query<{ n: number }>(
      `SELECT count(*)::int AS n FROM transaction_states s WHERE s.tx_id = $1
         AND EXISTS (SELECT FROM state_versions v WHERE v.state_id = s.state_id AND v.tx_id = s.tx_id)`,
      [txId],
    );
    return { scans, written: row?.n ?? 0 };
  }

  private async committed(txId: string, tx: TransactionRow, { scans }: Coverage): Promise<ImpactView> {
    const scanIds = scans.map(({ scanId }) => scanId);
    const isMine = await this.belongsTo(txId, scans);
    const list = async (column: 'first_seen_scan_id' | 'resolved_scan_id'): Promise<FindingView[]> =>
      this.views(tx, (await this.queries.changedBy(scanIds, column)).filter(isMine));
    const times = scans.map(({ scannedAt }) => scannedAt.getTime());
    return assembled({
      txId,
      source: 'commit',
      at: new Date(Math.max(0, ...times)),
      scanIds,
      states: scans.map(({ stateId }) => stateId),
      added: await list('first_seen_scan_id'),
      resolved: await list('resolved_scan_id'),
    });
  }

  /** Of a scan that covers several transactions, a change at an instance that another one wrote is that one's. */
  private async belongsTo(
    txId: string,
    scans: readonly CoveringScan[],
  ): Promise<(row: FindingRow & { key: string }) => boolean> {
    const shared = scans.filter(({ transactions }) => transactions > 1);
    if (shared.length === 0) return () => true;
    const rows = await this.work.query<{ key: string }>(
      `SELECT DISTINCT e.state_id || ' ' || e.key AS key FROM state_changes e JOIN security_scan_transactions t
         ON t.state_id = e.state_id AND t.tx_id = e.tx_id
       WHERE t.scan_id = ANY($1::uuid[]) AND e.tx_id <> $2
         AND NOT EXISTS (SELECT FROM state_changes m WHERE m.state_id = e.state_id AND m.key = e.key AND m.tx_id = $2)`,
      [shared.map(({ scanId }) => scanId), txId],
    );
    const others = new Set(rows.map(({ key }) => key));
    return (row) => !others.has(`${row.state_id} ${row.key}`);
  }

  private async ofPlan(txId: string, tx: TransactionRow, at: Date): Promise<ImpactView> {
    const rows = await this.planned.rows(txId);
    const active = await this.waivers.active(tx.tenantId);
    const shown = rows.filter(
      (row) =>
        matchingWaiver(active, { checkId: row.check_id, stateId: row.state_id, address: row.address }) ===
        undefined,
    );
    const [scan] = await this.work.query<{ id: string; state_id: string }>(
      `SELECT id, state_id FROM security_scans WHERE tx_id = $1 AND kind = 'planned' ORDER BY seq DESC LIMIT 1`,
      [txId],
    );
    const list = (effect: 'added' | 'resolved'): Promise<FindingView[]> =>
      this.plannedViews(
        tx,
        shown.filter((row) => row.effect === effect),
      );
    return assembled({
      txId,
      source: 'planned',
      at,
      scanIds: scan ? [scan.id] : [],
      states: scan ? [scan.state_id] : [],
      added: await list('added'),
      resolved: await list('resolved'),
    });
  }

  private async views({ tenantId }: TransactionRow, rows: readonly FindingRow[]): Promise<FindingView[]> {
    return this.lists.views(rows, await this.checks.ofTenant(tenantId), { tenantId });
  }

  /** The transaction's own log says where a block will stand; the applied configuration where it stands. */
  private async plannedViews(
    { tenantId }: TransactionRow,
    rows: readonly PlannedRow[],
  ): Promise<FindingView[]> {
    const checks = await this.checks.ofTenant(tenantId);
    const applied = await this.lists.views(rows, checks, { tenantId });
    return rows.map((row, index) => {
      const view = applied[index];
      if (row.source_file === null && view !== undefined) return view;
      const source =
        row.source_file === null
          ? undefined
          : { file: row.source_file, startLine: row.source_start_line, endLine: row.source_end_line };
      return toFindingView(row, checks.byId.get(row.check_id), { source, withStateName: true });
    });
  }
}

function assembled(of: {
  txId: string;
  source: 'planned' | 'commit';
  at: Date;
  scanIds: string[];
  states: string[];
  added: FindingView[];
  resolved: FindingView[];
}): ImpactView {
  const states = new Set([...of.states, ...[...of.added, ...of.resolved].map((finding) => finding.state_id)]);
  return {
    tx_id: of.txId,
    source: of.source,
    computed_at: of.at.toISOString(),
    scan_ids: of.scanIds,
    states_affected: [...states].sort(),
    cross_boundary_finding_count: of.added.filter((finding) => (finding.cross_state_refs ?? 0) > 0).length,
    findings_added: of.added,
    findings_resolved: of.resolved,
  };
}

function breakdown(findings: readonly FindingView[]) {
  const counts = emptyBreakdown();
  for (const { severity_effective: severity } of findings) counts[severity] += 1;
  return counts;
}
